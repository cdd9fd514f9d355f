package handler

import (
	"context"

	"github.com/coredns/coredns/plugin/metadata"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// annotate gives the metadata plugin what is known of an answer: the rule that chose it,
// and the set identifier and check of the record set that was chosen for the name asked
// for. They are computed only when somebody asks.
//
//go:noinline
func annotate(ctx context.Context, d *Snapshot, set *record.RecordSet, reason routing.Reason) {
	metadata.SetValueFunc(ctx, Name+"/reason", reason.String)
	if set == nil {
		return
	}
	if set.SetID != "" {
		metadata.SetValueFunc(ctx, Name+"/set-id", func() string { return set.SetID })
	}
	if set.Check != record.NoCheck && int(set.Check) < len(d.Catalog.Checks) {
		metadata.SetValueFunc(ctx, Name+"/check", func() string { return d.Catalog.Checks[set.Check].Name })
	}
}

// tellWildcard gives the metadata plugin the wildcard that an answer was made from,
// under the key that CoreDNS's file plugin uses.
func tellWildcard(ctx context.Context, name string) {
	metadata.SetValueFunc(ctx, "zone/wildcard", func() string { return name })
}
