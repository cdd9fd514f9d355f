package instance

import (
	"slices"
	"strings"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// maxDegraded is how many groups have a series of their own in one scrape, those of all
// server blocks together. One check can degrade every group there is.
const maxDegraded = 1000

var (
	groupsDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "groups"),
		"Groups, which are all records of one name and type, by the rule or the failover tier that they answer by.", []string{"block", "state"}, nil)
	degradedGroupsDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "degraded_groups"),
		"Groups that are not in their best state.", []string{"block"}, nil)
	groupDegradedDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "group_degraded"),
		"1 for each group that is not in its best state; the worst ones if there are very many.", []string{"block", "name", "type", "state"}, nil)
)

func describeGroups(ch chan<- *prometheus.Desc) {
	ch <- groupsDesc
	ch <- degradedGroupsDesc
	ch <- groupDegradedDesc
}

// blockGroups is what a scrape finds in one server block.
type blockGroups struct {
	owner    string
	data     *handler.Snapshot
	degraded [routing.Reasons]int
}

// collectGroups collects how the groups of all instances are.
func collectGroups(instances []*Instance, ch chan<- prometheus.Metric) {
	var blocks []blockGroups // with groups that are degraded
	for _, in := range instances {
		b := blockGroups{owner: in.owner, data: in.handler.Snapshot()}
		if b.collect(ch) > 0 {
			blocks = append(blocks, b)
		}
	}
	// In one order each time, so that the same series are left out.
	slices.SortFunc(blocks, func(a, b blockGroups) int { return strings.Compare(a.owner, b.owner) })
	left := maxDegraded
	for rule := routing.Reasons - 1; rule >= 0; rule-- { // the later, the worse
		for i := range blocks {
			if b := &blocks[i]; b.degraded[rule] > 0 && left > 0 {
				left -= b.collectDegraded(routing.Reason(rule), left, ch)
			}
		}
	}
}

// collect collects the numbers of a block's groups, and returns how many are degraded.
func (b *blockGroups) collect(ch chan<- prometheus.Metric) int {
	type count struct {
		state  string
		groups int
	}
	var counts []count
	b.data.States(func(s routing.State, groups int) { counts = append(counts, count{s.String(), groups}) })
	for _, c := range counts { // without the lock that changes of health take
		ch <- prometheus.MustNewConstMetric(groupsDesc, prometheus.GaugeValue, float64(c.groups), b.owner, c.state)
	}
	b.degraded = b.data.Degraded()
	sum := 0
	for _, n := range b.degraded {
		sum += n
	}
	ch <- prometheus.MustNewConstMetric(degradedGroupsDesc, prometheus.GaugeValue, float64(sum), b.owner)
	return sum
}

// collectDegraded collects so many of a block's degraded groups at most, and returns how many.
func (b *blockGroups) collectDegraded(rule routing.Reason, most int, ch chan<- prometheus.Metric) int {
	type group struct {
		record.Key
		state string
	}
	var groups []group
	b.data.EachDegraded(rule, most, func(k record.Key, s routing.State) { groups = append(groups, group{k, s.String()}) })
	for _, g := range groups {
		ch <- prometheus.MustNewConstMetric(groupDegradedDesc, prometheus.GaugeValue, 1, b.owner, g.Name, dns.Type(g.Type).String(), g.state)
	}
	return len(groups)
}
