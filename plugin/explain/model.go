// Package explain tells why a name answers what it does, with which odds, and what it would
// answer under another health. It is exact: odds are fractions, worked out from the very
// Selections that queries are answered from. It is pure: it knows no server, asks nobody
// and reads no clock.
//
// A [Model] is one block's catalog under a health that can be changed at will. It explains
// questions ([Model.Explain]), says what changes when something fails ([Model.WhatIf],
// [Model.EachFailure]), which single failure is the next to hurt a name ([Model.Next]), and
// where two configurations decide otherwise ([Diff]).
package explain

import (
	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Model is a catalog under a health that can be changed. One goroutine at a time may use
// it.
type Model struct {
	catalog *record.Catalog
	table   *routing.Table
	checks  []healthcheck.Check
	health  *health

	// assumed is what a change of health would make of some groups and targets held
	// elsewhere, while it is looked at.
	assumed struct {
		selections map[*record.Group]*routing.Selection
		externals  map[*routing.External]bool // healthy
	}

	externals map[*routing.External]int // nil until needed

	senses *senses    // of all groups, under the health of the moment; nil until needed
	chains *chains    // nil until needed
	places *endpoints // nil until needed

	rendered map[*dns.RR]*values // by the first of the RRs: those of record sets never change
}

// New returns a Model of a validated catalog in which every probe passes.
func New(c *record.Catalog) *Model {
	all := func(int) healthcheck.Status { return healthcheck.Healthy }
	return Of(routing.NewTable(c, healthcheck.Evaluate(c.Checks, all)))
}

// Of returns a Model of a table, under the health that the table has. The table is the
// Model's from then on, which changes its health.
func Of(t *routing.Table) *Model {
	m := &Model{catalog: t.Catalog(), table: t, checks: t.Catalog().Checks, rendered: make(map[*dns.RR]*values)}
	m.health = newHealth(m.checks, t.Status)
	return m
}

// excerpt returns a Model of a group, at place 0 of its table, and those that its aliases
// lead to, under the same health.
func (m *Model) excerpt(group int) *Model {
	return &Model{catalog: m.catalog, table: m.table.Excerpt(group), checks: m.checks, health: m.health.clone(), rendered: m.rendered}
}
