package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// node writes a node: its line after one margin, and what belongs to it after another.
func (t *writer) node(first, margin string, n *Node) {
	t.line(first + t.title(n))
	if n.Repeated || n.Kind != "group" && n.Kind != "load_balancer" && n.Kind != "referral" {
		return
	}
	if n.Balancer != nil {
		t.balancer(margin, n.Balancer)
		return
	}
	rows := make([][]string, len(n.Records))
	for i := range n.Records {
		r := &n.Records[i]
		rows[i] = []string{r.Label, r.what(), r.Odds}
	}
	for i := range n.Records {
		r := &n.Records[i]
		widths := columns(rows)
		branch, below := t.branch(i == len(n.Records)-1 && len(n.Glue) == 0)
		t.line(margin + branch + t.style.mark(r.Healthy, r.Eligible) + " " + pad(rows[i][0], widths[0]) + "  " +
			pad(rows[i][1], widths[1]) + "  " + t.style.paint(OddsRole, pad(rows[i][2], widths[2])) + "  " + r.reasons())
		if r.Target != nil {
			last, under := t.branch(true)
			t.node(margin+below+last, margin+below+under, r.Target)
		}
	}
	for i, g := range n.Glue {
		branch, _ := t.branch(i == len(n.Glue)-1)
		t.line(margin + branch + "glue " + g.Name + " " + g.Type + " " + strings.Join(g.Values, ", "))
	}
}

// branch returns what stands before an entry of a tree, and before what belongs to it.
func (t *writer) branch(last bool) (branch, below string) {
	if last {
		return t.style.Last, t.style.Blank
	}
	return t.style.Branch, t.style.Through
}

// title says what a node is.
func (t *writer) title(n *Node) string {
	s := t.style.paint(TitleRole, n.Name+" "+n.Type)
	if n.Holder != "" {
		s += " at " + n.Holder
	}
	switch n.Kind {
	case "group", "load_balancer":
		s += "  " + n.Policy
		if n.Rule != strings.ReplaceAll(n.Policy, "_", "-") {
			s += " (" + n.Rule + ")"
		}
		if n.Healthy != nil && !*n.Healthy {
			s += ", " + t.style.paint(UnhealthyRole, "unhealthy")
		}
		if n.Sees != "" {
			s += ": " + n.Sees
		}
		if n.Draw != nil && n.Draw.Drawn < n.Draw.Of {
			s += fmt.Sprintf("; %d of %d are drawn", n.Draw.Drawn, n.Draw.Of)
		}
		if n.Repeated {
			s += "; shown above"
		}
	default:
		s += "  " + n.Why
	}
	if n.Position != "" {
		s += "  " + t.style.paint(QuietRole, n.Position)
	}
	return s
}

// what says what a record set answers with.
func (r *Record) what() string {
	if r.Alias == "" {
		return strings.Join(r.Values, ", ")
	}
	if r.Evaluate {
		return "alias " + r.Alias + ", evaluated"
	}
	return "alias " + r.Alias
}

// reasons says why a record set may be chosen or not, and why it is healthy or not.
func (r *Record) reasons() string {
	s := r.Choice + "; " + r.Health
	if r.Check != nil {
		s += ": " + r.Check.text()
	}
	return s
}

// text names a check, what it probes and what else decides.
func (c *Check) text() string {
	s := strconv.Quote(c.Name)
	if c.Endpoint != "" && c.Endpoint != c.Name {
		s += " " + c.Endpoint
	}
	if c.Note != "" {
		s += " (" + c.Note + ")"
	}
	return s
}

// balancer writes the zones of a load balancer, and its target groups with the targets that
// are unhealthy.
func (t *writer) balancer(margin string, b *Balancer) {
	for _, z := range b.Zones {
		branch, _ := t.branch(false)
		nodes := "answers with its targets"
		if len(z.Nodes) > 0 {
			nodes = strings.Join(z.Nodes, ", ")
		}
		in := "in DNS"
		if !z.InDNS {
			in = "left out of DNS"
		}
		t.line(fmt.Sprintf("%s%s%s zone %q  %s  %s: %s", margin, branch, t.style.mark(z.Healthy, z.InDNS), z.ID, nodes, in, z.Why))
	}
	for i, g := range b.Groups {
		branch, below := t.branch(i == len(b.Groups)-1)
		t.line(fmt.Sprintf("%s%starget group %q  dns_failover %s, routing_failover %s", margin, branch, g.ID, g.DNSFailover, g.RoutingFailover))
		for j, s := range g.Scopes {
			last, _ := t.branch(j == len(g.Scopes)-1)
			where := "all zones"
			if s.Zone != "" {
				where = fmt.Sprintf("zone %q", s.Zone)
			}
			t.line(margin + below + last + t.style.mark(!s.BelowDNS, true) + fmt.Sprintf(" %s, %g%% healthy: %s%s", where, s.Percent, s.Text, s.unhealthy()))
		}
	}
}

// unhealthy lists the targets of a scope that are unhealthy, up to a few of them.
func (s *Scope) unhealthy() string {
	const few = 8
	var list []string
	for _, target := range s.Targets {
		if !target.Healthy {
			list = append(list, target.Address)
		}
	}
	if len(list) == 0 {
		return ""
	}
	if more := len(list) - few; more > 0 {
		list = append(slices.Clip(list[:few]), fmt.Sprintf("%d more", more))
	}
	return "; unhealthy: " + strings.Join(list, ", ")
}
