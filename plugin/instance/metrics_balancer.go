package instance

import (
	"github.com/coredns/coredns/plugin"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

var (
	balancerHealthyDesc = balancerDesc("healthy",
		"Whether a load balancer is healthy (1), as an alias that evaluates its health sees it.")
	balancerZoneHealthyDesc = balancerDesc("zone_healthy",
		"Whether no target group is below its dns_failover minimum for a zone.", "zone")
	balancerZoneInDNSDesc = balancerDesc("zone_in_dns",
		"Whether a zone is answered: it is healthy, or no zone is.", "zone")
	balancerTargetsDesc = balancerDesc("registered_targets",
		"Targets of a target group in a zone.", "zone", "target_group")
	balancerHealthyTargetsDesc = balancerDesc("healthy_targets",
		"Healthy targets of a target group in a zone.", "zone", "target_group")
	balancerRoutingDesc = balancerDesc("routing_failover",
		"Whether a target group is below its routing_failover minimum for a zone, so that its unhealthy targets are to be used too.", "zone", "target_group")
)

func balancerDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "balancer_"+name),
		help, append([]string{"block", "load_balancer"}, labels...), nil)
}

func describeBalancers(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		balancerHealthyDesc, balancerZoneHealthyDesc, balancerZoneInDNSDesc,
		balancerTargetsDesc, balancerHealthyTargetsDesc, balancerRoutingDesc,
	} {
		ch <- d
	}
}

// collectBalancers collects the state of an instance's load balancers.
func collectBalancers(in *Instance, ch chan<- prometheus.Metric) {
	type state struct {
		*record.LoadBalancer
		routing.Balance
	}
	var all []state
	in.handler.Snapshot().Balances(func(b *record.LoadBalancer, s routing.Balance) { all = append(all, state{b, s}) })
	for _, s := range all { // without the lock that changes of health take
		gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, append([]string{in.owner, s.Name}, labels...)...)
		}
		gauge(balancerHealthyDesc, boolean(s.Healthy))
		for z, zone := range s.Balance.Zones {
			id := s.LoadBalancer.Zones[z].ID
			gauge(balancerZoneHealthyDesc, boolean(zone.Healthy), id)
			gauge(balancerZoneInDNSDesc, boolean(zone.InDNS), id)
			for g, group := range s.Balance.Groups {
				scope, name := group.Zones[z], s.LoadBalancer.Groups[g].ID
				gauge(balancerTargetsDesc, float64(scope.Own.Registered), id, name)
				gauge(balancerHealthyTargetsDesc, float64(scope.Own.Healthy), id, name)
				gauge(balancerRoutingDesc, boolean(scope.Routing && scope.Registered > 0), id, name)
			}
		}
	}
}
