package handler

import (
	"context"
	"strings"

	"github.com/coredns/coredns/plugin/metadata"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// annotate gives the metadata plugin what is known of an answer: the rule that chose it,
// the set identifiers of the record sets that were chosen for the name asked for and at the
// end of its aliases, and the check of the first. They are computed only when somebody asks.
//
//go:noinline
func annotate(ctx context.Context, d *Snapshot, set, leaf *record.RecordSet, reason routing.Reason) {
	metadata.SetValueFunc(ctx, Name+"/reason", reason.String)
	if hasID(set) || leaf != set && hasID(leaf) {
		metadata.SetValueFunc(ctx, Name+"/set-id", func() string { return setIDs(set, leaf) })
	}
	if set == nil {
		return
	}
	if set.Check != record.NoCheck && int(set.Check) < len(d.Catalog.Checks) {
		metadata.SetValueFunc(ctx, Name+"/check", func() string { return d.Catalog.Checks[set.Check].Name })
	}
}

func hasID(set *record.RecordSet) bool { return set != nil && set.SetID != "" }

// setIDs returns the set identifier of what the name asked for chose and, behind ">", that
// of what its aliases led to, if that is another record set with an identifier: "eu>paris".
// An identifier may hold any character, so ">" and "\" in it have a "\" before them.
func setIDs(set, leaf *record.RecordSet) string {
	ids := ""
	if set != nil {
		ids = escapeID.Replace(set.SetID)
	}
	if leaf != set && hasID(leaf) {
		ids += ">" + escapeID.Replace(leaf.SetID)
	}
	return ids
}

var escapeID = strings.NewReplacer(`\`, `\\`, ">", `\>`)

// tellWildcard gives the metadata plugin the wildcard that an answer was made from,
// under the key that CoreDNS's file plugin uses.
func tellWildcard(ctx context.Context, name string) {
	metadata.SetValueFunc(ctx, "zone/wildcard", func() string { return name })
}
