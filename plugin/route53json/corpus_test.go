package route53json_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
	"github.com/steerdns/steer/plugin/routing"
)

// testdata is where the corpus is, wherever a test has gone.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir + string(filepath.Separator)
}()

// block is an import under an injected health.
type block struct {
	t       *testing.T
	im      *route53json.Import
	catalog *record.Catalog
}

// load imports files of testdata into a block of one zone.
func load(t *testing.T, zone string, files ...string) *block {
	t.Helper()
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = testdata + f + ".json"
	}
	return loadPaths(t, zone, paths...)
}

func loadPaths(t *testing.T, zone string, paths ...string) *block {
	t.Helper()
	zones := []string{zone}
	im, err := route53json.Load(context.Background(), paths, route53json.Options{Zones: zones, DefaultTTL: 60})
	if err != nil {
		t.Fatal(err)
	}
	b := &block{t, im, record.NewCatalog(zones)}
	if err := im.AddTo(context.Background(), b.catalog); err != nil {
		t.Fatal(err)
	}
	if others := im.Note(b.catalog.Validate()); len(others) > 0 {
		t.Fatalf("validation finds %v outside the files", others)
	}
	if others := im.Warn(lint.Check(b.catalog, lint.Options{})); len(others) > 0 {
		t.Fatalf("there are traps outside the files: %v", others)
	}
	return b
}

// selection returns what a name answers while the checks whose ids end in one of down
// are unhealthy.
func (b *block) selection(name, typ string, down ...string) *routing.Selection {
	b.t.Helper()
	statuses := make([]healthcheck.Status, len(b.catalog.Checks))
	known := 0
	for i, c := range b.catalog.Checks {
		statuses[i] = healthcheck.Healthy
		if slices.ContainsFunc(down, func(id string) bool { return strings.HasSuffix(c.Name, id) }) {
			statuses[i] = healthcheck.Unhealthy
			known++
		}
	}
	if known < len(down) {
		b.t.Fatalf("some of the checks %q do not exist", down)
	}
	g := b.catalog.Lookup(record.Key{Name: name, Type: dns.StringToType[typ]})
	if g == nil {
		b.t.Fatalf("nothing answers %s %s", name, typ)
	}
	table := routing.NewTable(b.catalog, statuses)
	i := int(g.Ordinal)
	_, s, _ := table.Group(i)
	return s
}

// odds returns the probability of every answer that a selection can give, its values in
// order: each random number is tried with each of its values.
func odds(s *routing.Selection, owner string) map[string]float64 {
	answers := make(map[string]float64)
	var walk func(numbers []uint64, p float64)
	walk = func(numbers []uint64, p float64) {
		used, open := 0, uint64(0)
		a := s.Answer(owner, func(n uint64) uint64 {
			if used++; used <= len(numbers) {
				return numbers[used-1]
			}
			if open == 0 {
				open = n
			}
			return 0
		})
		if open == 0 {
			answers[values(a.RRs)] += p
			return
		}
		for v := range open {
			walk(append(slices.Clone(numbers), v), p/float64(open))
		}
	}
	walk(nil, 1)
	return answers
}

// values returns the data of RRs, sorted.
func values(rrs []dns.RR) string {
	texts := make([]string, len(rrs))
	for i, rr := range rrs {
		texts[i] = strings.TrimPrefix(rr.String(), rr.Header().String())
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}

func same(a, b map[string]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if math.Abs(v-b[k]) > 1e-9 {
			return false
		}
	}
	return true
}

// always is the odds of one answer.
func always(answer string) map[string]float64 { return map[string]float64{answer: 1} }

func TestCorpusAnswers(t *testing.T) {
	tests := []struct {
		file, zone, name, typ string
		down                  []string
		want                  map[string]float64
	}{
		{"weighted-01-aws-example-dnsname-trailing-space", "example.com.", "www.example.com.", "A", nil,
			map[string]float64{"192.0.2.44": 1. / 3, "192.0.2.45": 2. / 3}},
		{"weighted-01-aws-example-dnsname-trailing-space", "example.com.", "www.example.com.", "A", []string{"555555fedcba"}, always("192.0.2.45")},
		{"weighted-02-zero-duplicates-odd-identifiers", "example.com.", "weighted.example.com.", "A", nil,
			map[string]float64{"192.0.2.1": 1. / 3, "192.0.2.2": 2. / 3}},
		{"weighted-02-zero-duplicates-odd-identifiers", "example.com.", "beta.example.com.", "A", nil, always("203.0.113.31")},
		{"weighted-02-zero-duplicates-odd-identifiers", "example.com.", "drained.example.com.", "A", nil,
			map[string]float64{"203.0.113.32": .5, "203.0.113.33": .5}},
		{"weighted-02-zero-duplicates-odd-identifiers", "example.com.", "svc.example.com.", "CNAME", nil,
			map[string]float64{"www1.example.com.": 1. / 6, "www2.example.com.": 5. / 6}},
		// C06: a record set's values go together.
		{"weighted-02-zero-duplicates-odd-identifiers", "example.com.", "sample.example.com.", "A", nil,
			map[string]float64{"192.0.2.10 192.0.2.11": 100. / 355, "192.0.2.20": 255. / 355}},
		{"weighted-03-cname-alias-to-same-zone-cname", "example.test.", "www.example.test.", "CNAME", nil,
			map[string]float64{"v1.example.net.": .9, "v2.example.net.": .1}},

		{"failover-01-cli-v1-key-order-trailing-space", "example.com.", "bookstore.example.com.", "A", nil, always("192.0.2.171")},
		{"failover-01-cli-v1-key-order-trailing-space", "example.com.", "bookstore.example.com.", "A", []string{"000119"}, always("198.51.100.9")},
		// C11: a primary without a check.
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", "shop.example.com.", "A", nil, always("203.0.113.20")},
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", "only-primary.shop.example.com.", "A", nil, always("203.0.113.22")},
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", "only-secondary.shop.example.com.", "A", nil, always("203.0.113.23")},
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", "only-secondary.shop.example.com.", "A", []string{"000023"}, always("203.0.113.23")},
		// C22: a check that no file defines counts as healthy, and fails over when it is given a state.
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", "db.shop.example.com.", "A", nil, always("10.99.1.10")},
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", "db.shop.example.com.", "A", []string{"<HC_ID>"}, always("10.99.1.20")},

		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", "_octodns-ap-southeast-1-pool.example.com.", "A", nil,
			map[string]float64{"192.0.2.41": .5, "192.0.2.42": .5}},
		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", "_octodns-ap-southeast-1-pool.example.com.", "A", []string{"76"}, always("192.0.2.42")},
		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", "_octodns-ap-southeast-1-pool.example.com.", "A", []string{"76", "ab", "1e", "2a", "61"}, always("192.0.2.42")},
		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", "_octodns-eu-central-1-pool.example.com.", "A", []string{"ab", "1e"},
			map[string]float64{"192.0.2.51": .5, "192.0.2.52": .5}},
		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", "_octodns-eu-central-1-pool.example.com.", "A", []string{"ab", "1e", "2a"}, always("192.0.2.52")},
		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", "_octodns-eu-central-1-pool.example.com.", "A", []string{"ab", "1e", "2a", "61"}, always("192.0.2.21 192.0.2.22")},
		{"alias-02-aws-docs-latency-weighted-tree", "example.com.", "us-east-1-www.example.com.", "A", []string{"000011", "000012"},
			map[string]float64{"192.0.2.11": 1. / 3, "192.0.2.12": 2. / 3}},
		{"alias-02-aws-docs-latency-weighted-tree", "example.com.", "ap-southeast-2-www.example.com.", "A", []string{"000021"}, always("198.51.100.22")},

		{"multivalue-01-cloud-map-private-tld", "staging.", "myapplication.staging.", "A", nil, always("172.31.87.2 172.31.87.3")},
		{"multivalue-01-cloud-map-private-tld", "staging.", "myapplication.staging.", "A", []string{"000579"}, always("172.31.87.2")},
		{"multivalue-02-ten-proxies-some-without-checks-wildcard-cname", "example.com.", "s3.us-west-2.example.com.", "A",
			[]string{"101", "102", "104", "105", "106", "108", "109", "110"}, always("192.0.2.103 192.0.2.107")},

		{"cidr-01-octodns-subnet-tree", "example.com.", "_octodns-internal-pool.example.com.", "A", nil, always("10.0.0.1")},
		{"edge-01-sdk-serialised-nulls-and-empty-arrays", "example.com.", "dev.example.com.", "A", nil, always("192.0.2.80")},
		{"edge-01-sdk-serialised-nulls-and-empty-arrays", "example.com.", "mock.example.com.", "A", nil, always("192.0.2.80")},
	}
	for _, tc := range tests {
		t.Run(tc.file[:8]+"/"+tc.name+strings.Join(tc.down, ","), func(t *testing.T) {
			got := odds(load(t, tc.zone, tc.file).selection(tc.name, tc.typ, tc.down...), tc.name)
			if !same(got, tc.want) {
				t.Errorf("%s %s with %q down: %v, want %v", tc.name, tc.typ, tc.down, got, tc.want)
			}
		})
	}
}

// Ten multivalue record sets: eight at a time, all of them over time.
func TestCorpusEightOfTen(t *testing.T) {
	b := load(t, "example.com.", "multivalue-02-ten-proxies-some-without-checks-wildcard-cname")
	s := b.selection("s3.us-west-2.example.com.", "A")
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]bool)
	for range 100 {
		rrs := s.Answer("s3.us-west-2.example.com.", rnd.Uint64N).RRs
		answer := make(map[string]bool)
		for _, rr := range rrs {
			answer[values([]dns.RR{rr})] = true
			seen[values([]dns.RR{rr})] = true
		}
		if len(answer) != 8 {
			t.Fatalf("%d different addresses in %v, want 8", len(answer), rrs)
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d addresses over time, want 10", len(seen))
	}
	six := values(b.selection("s3.us-west-2.example.com.", "A", "106", "108", "109", "110").Answer("x.", rnd.Uint64N).RRs)
	if want := "192.0.2.101 192.0.2.102 192.0.2.103 192.0.2.104 192.0.2.105 192.0.2.107"; six != want {
		t.Errorf("four down: %s, want %s", six, want)
	}
}

// Aliases to what is outside are resolved through the server, under the name without
// its trailing space and in lower case.
func TestCorpusExternalTargets(t *testing.T) {
	tests := []struct {
		file, zone string
		want       []string
	}{
		{"weighted-01-aws-example-dnsname-trailing-space", "example.com.",
			[]string{"example-com-123456789.us-east-2.elb.amazonaws.com. A", "example-com-987654321.us-west-2.elb.amazonaws.com. A"}},
		{"failover-02-alias-elb-primary-s3-secondary", "training.example.com.",
			[]string{"mystack-elasticloa-0aaaaaaaaaaaa-00000001.ap-southeast-2.elb.amazonaws.com. A", "s3-website-ap-southeast-2.amazonaws.com. A"}},
		{"edge-05-bare-array-from-query-filter", "example.com.",
			[]string{"a0000000000000000000000000000000-0000000001.us-east-1.elb.amazonaws.com. A", "d555555abcdef8.cloudfront.net. A"}},
		{"alias-03-aws-resource-targets-and-wrong-zone-ids", "example.com.", []string{
			"a1234567890abcdef.awsglobalaccelerator.com. A", "d-abcde12345.execute-api.us-east-1.amazonaws.com. A",
			"d111111abcdef8.cloudfront.net. A", "d111111abcdef8.cloudfront.net. AAAA", "d222222abcdef8.cloudfront.net. A",
			"dualstack.app-alb-1234567890.us-east-1.elb.amazonaws.com. A", "ipv6.app-alb-1234567890.us-east-1.elb.amazonaws.com. AAAA",
			"my-env.us-east-1.elasticbeanstalk.com. A", "s3-website-us-east-1.amazonaws.com. A",
			"vpce-123456789abcdef01-example-us-east-1a.elasticloadbalancing.us-east-1.vpce.amazonaws.com. A",
		}},
	}
	for _, tc := range tests {
		b := load(t, tc.zone, tc.file)
		var got []string
		for _, e := range routing.NewTable(b.catalog, make([]healthcheck.Status, len(b.catalog.Checks))).Externals() {
			got = append(got, e.Key.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: targets %q, want %q", tc.file, got, tc.want)
		}
	}
}

// failover-02: the primary takes both its target and its check; the secondary has no
// test of its own.
func TestCorpusFailoverOfLoadBalancers(t *testing.T) {
	const name = "mycoolsite.training.example.com."
	b := load(t, "training.example.com.", "failover-02-alias-elb-primary-s3-secondary")
	for _, tc := range []struct {
		target bool
		check  healthcheck.Status
		want   string
	}{
		{true, healthcheck.Healthy, "mycoolsite-Primary"},
		{true, healthcheck.Unhealthy, "mycoolsite-Secondary"},
		{false, healthcheck.Healthy, "mycoolsite-Secondary"},
		{false, healthcheck.Unhealthy, "mycoolsite-Secondary"},
	} {
		table := routing.NewTable(b.catalog, []healthcheck.Status{tc.check})
		for i, e := range table.Externals() {
			if strings.Contains(e.Name, ".elb.") {
				table.Update(nil, []routing.ExternalChange{{External: i, Healthy: tc.target}}, func(int, *routing.Selection) {})
			}
		}
		i := int(b.catalog.Groups[record.Key{Name: name, Type: dns.TypeA}].Ordinal)
		_, s, _ := table.Group(i)
		if got := s.Answer(name, func(uint64) uint64 { return 0 }).Set.SetID; got != tc.want {
			t.Errorf("target healthy %v, check %s: %s, want %s", tc.target, tc.check, got, tc.want)
		}
	}
}
