package route53json_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// using is a list of record sets that use health checks.
func using(ids ...string) string {
	sets := make([]string, len(ids))
	for i, id := range ids {
		sets[i] = fmt.Sprintf(`{"Name": "c%d.example.com", "Type": "A", "TTL": 60, "HealthCheckId": %q, "ResourceRecords": [{"Value": "192.0.2.1"}]}`, i, id)
	}
	return "[" + strings.Join(sets, ",") + "]"
}

// find returns a check of a catalog by the end of its name.
func find(t *testing.T, c *record.Catalog, id string) (int, healthcheck.Check) {
	t.Helper()
	for i := range c.Checks {
		if strings.HasSuffix(c.Checks[i].Name, id) {
			return i, c.Checks[i]
		}
	}
	t.Fatalf("no check %s", id)
	return 0, healthcheck.Check{}
}

// status returns what a check reports when nothing has been probed.
func status(t *testing.T, c *record.Catalog, id string) healthcheck.Status {
	t.Helper()
	lease := healthcheck.NewPool(healthcheck.Options{}).Acquire("test", c.Checks)
	defer lease.Release()
	i, _ := find(t, c, id)
	return lease.Statuses()[i]
}

// spec returns Route 53's defaults with changes.
func spec(kind healthcheck.Kind, host string, port uint16, change func(*healthcheck.Spec)) healthcheck.Spec {
	s := healthcheck.Defaults(kind)
	s.Host, s.Port = host, port
	if change != nil {
		change(&s)
	}
	return s
}

func every(s *healthcheck.Spec, seconds time.Duration, threshold uint8) {
	s.Interval, s.Recheck = seconds*time.Second, seconds*time.Second
	s.Rise, s.Fall = threshold, threshold
}

func TestCorpusHealthChecks(t *testing.T) {
	ids := make([]string, 8)
	for i := range ids {
		ids[i] = fmt.Sprintf("0000000%d-aaaa-4bbb-8ccc-00000000000%d", i+1, i+1)
	}
	path := write(t, using(ids...))[0]
	c := loadBeside(t, path, "healthchecks-01-list-endpoint-types")
	want := []healthcheck.Spec{
		spec(healthcheck.HTTP, "192.0.2.44", 80, func(s *healthcheck.Spec) { s.Path, s.HostHeader = "/health", "example.com" }),
		spec(healthcheck.HTTPS, "198.51.100.3", 443, func(s *healthcheck.Spec) {
			s.Path, s.HostHeader, s.ServerName = "/_dns", "example.com", "example.com"
			every(s, 10, 6)
		}),
		spec(healthcheck.HTTPS, "api.example.com", 443, func(s *healthcheck.Spec) {
			s.Path, s.Search, s.ServerName = "/health", `"status":"healthy"`, "api.example.com"
			every(s, 10, 3)
		}),
		spec(healthcheck.HTTP, "us-east-2-www.example.com", 80, func(s *healthcheck.Spec) {
			s.Path, s.Search = "/welcome.html?language=jp&login=y", "a good response"
			every(s, 10, 2)
		}),
		spec(healthcheck.TCP, "192.0.2.249", 80, nil),
		spec(healthcheck.HTTPS, "2001:db8:85a3::abcd:1:2345", 8443, func(s *healthcheck.Spec) { every(s, 30, 1) }),
		spec(healthcheck.TCP, "10.0.1.50", 5432, nil),
		spec(healthcheck.HTTP, "mystack-00000001.ap-southeast-2.elb.amazonaws.com", 80, nil),
	}
	for i, id := range ids {
		if _, got := find(t, c, id); got.Spec != want[i] {
			t.Errorf("check %d: %+v\nwant %+v", i+1, got.Spec, want[i])
		}
	}
	// C28: Disabled and Inverted is unhealthy, and nothing is probed.
	if _, got := find(t, c, ids[3]); !got.Disabled || !got.Invert {
		t.Errorf("check 4: %+v, want it disabled and inverted", got)
	}
}

// loadBeside loads a file by its path together with one of testdata.
func loadBeside(t *testing.T, path, corpus string) *record.Catalog {
	t.Helper()
	return loadPaths(t, "example.com.", path, testdata+corpus+".json").catalog
}

func TestCorpusCalculated(t *testing.T) {
	const plain, inverted = "00000001-a658-4d8e-86c9-000000000b18", "00000001-a658-4d8e-86c9-000000000b19"
	path := write(t, using(plain, inverted))[0]
	c := loadBeside(t, path, "healthchecks-02-calculated-inverted-no-callerreference")
	if s := status(t, c, plain); s != healthcheck.Healthy {
		t.Errorf("both children healthy, one of them unknown: %s", s)
	}
	if s := status(t, c, inverted); s != healthcheck.Unhealthy {
		t.Errorf("its inverted copy: %s", s)
	}
	if _, unknown := find(t, c, "00000004-26c3-4dbe-bec7-000000000004"); !unknown.Fixed || unknown.FixedStatus != healthcheck.Healthy {
		t.Errorf("the child that no file defines: %+v, want it fixed and healthy", unknown)
	}
}

func TestCorpusCreateConfig(t *testing.T) {
	path := write(t, using("BookstoreS3", "combined"))[0]
	c := loadBeside(t, path, "healthchecks-03-create-config-minimal")
	want := spec(healthcheck.HTTP, "cdn.bookstore.example.com.s3.amazonaws.com", 80, func(s *healthcheck.Spec) { s.Path = "/static/status.json" })
	if _, got := find(t, c, "BookstoreS3"); got.Spec != want {
		t.Errorf("%+v\nwant %+v", got.Spec, want)
	}
	if _, got := find(t, c, "combined"); len(got.Children) != 3 || got.HealthyThreshold != 2 {
		t.Errorf("%+v, want 2 of 3 children", got)
	}
}

// config is a health check as JSON.
func config(id, members string) string {
	return fmt.Sprintf(`{"Id": %q, "HealthCheckConfig": {%s}}`, id, members)
}

const (
	up   = `"Type": "CLOUDWATCH_METRIC", "InsufficientDataHealthStatus": "Healthy"`
	down = `"Type": "CLOUDWATCH_METRIC", "InsufficientDataHealthStatus": "Unhealthy"`
)

func TestCalculated(t *testing.T) {
	tests := []struct {
		name    string
		members string
		want    healthcheck.Status
	}{
		{"C26: more than there are children", `"Type": "CALCULATED", "ChildHealthChecks": [], "HealthThreshold": 1`, healthcheck.Unhealthy},
		{"C26: no list of children", `"Type": "CALCULATED", "HealthThreshold": 1`, healthcheck.Unhealthy},
		{"C27: none needed", `"Type": "CALCULATED", "ChildHealthChecks": ["down"], "HealthThreshold": 0`, healthcheck.Healthy},
		{"C28: disabled and inverted", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80, "Disabled": true, "Inverted": true`, healthcheck.Unhealthy},
		{"disabled", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80, "Disabled": true`, healthcheck.Healthy},
		{"C29: a disabled child counts", `"Type": "CALCULATED", "ChildHealthChecks": ["up", "down", "off"], "HealthThreshold": 2`, healthcheck.Healthy},
		{"all needed", `"Type": "CALCULATED", "ChildHealthChecks": ["up", "down"], "HealthThreshold": 2`, healthcheck.Unhealthy},
		{"no threshold", `"Type": "CALCULATED", "ChildHealthChecks": ["up", "down"]`, healthcheck.Unhealthy},
		{"inverted", `"Type": "CALCULATED", "ChildHealthChecks": ["down"], "HealthThreshold": 1, "Inverted": true`, healthcheck.Healthy},
		{"a calculated child counts as healthy", `"Type": "CALCULATED", "ChildHealthChecks": ["never", "down"], "HealthThreshold": 1`, healthcheck.Healthy},
		{"a calculated child and one too many", `"Type": "CALCULATED", "ChildHealthChecks": ["never", "down"], "HealthThreshold": 2`, healthcheck.Unhealthy},
		{"an unknown child counts as healthy", `"Type": "CALCULATED", "ChildHealthChecks": ["nowhere", "down"], "HealthThreshold": 1`, healthcheck.Healthy},
		{"recovery control", `"Type": "RECOVERY_CONTROL"`, healthcheck.Healthy},
		{"last known status", `"Type": "CLOUDWATCH_METRIC", "InsufficientDataHealthStatus": "LastKnownStatus"`, healthcheck.Healthy},
		{"an unhealthy metric, inverted", down + `, "Inverted": true`, healthcheck.Healthy},
		{"a type that nobody knows", `"Type": "PING"`, healthcheck.Healthy},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			checks := `{"HealthChecks": [` + strings.Join([]string{
				config("up", up), config("down", down), config("off", down+`, "Disabled": true`),
				config("never", `"Type": "CALCULATED", "HealthThreshold": 1`), config("it", tc.members),
			}, ",") + `]}`
			b := loadPaths(t, "example.com.", write(t, using("it"), checks)...)
			if got := status(t, b.catalog, "it"); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

func TestCheckProblems(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`"up",`, 256), ",")
	tests := []struct{ name, json, want string }{
		{"type", config("it", `"Type": "PING"`), `health check "it" (number 1): changed: its Type "PING" is none of Route 53's; it counts as healthy`},
		{"no endpoint", config("it", `"Type": "HTTP"`), `health check "it" (number 1): changed: has neither IPAddress nor FullyQualifiedDomainName; it counts as healthy`},
		{"address", config("it", `"Type": "HTTP", "IPAddress": "192.0.2"`), `health check "it" (number 1): changed: its IPAddress "192.0.2" is no address; it counts as healthy`},
		{"URL", config("it", `"Type": "HTTP", "FullyQualifiedDomainName": "https://a.example.com/"`), `health check "it" (number 1): changed: its FullyQualifiedDomainName "https://a.example.com/" is no host name; it counts as healthy`},
		{"port", config("it", `"Type": "HTTP", "IPAddress": "192.0.2.1", "Port": 70000`), `health check "it" (number 1): changed: its Port "70000" is not a number from 1 to 65535; it counts as healthy`},
		{"TCP port", config("it", `"Type": "TCP", "IPAddress": "192.0.2.1"`), `health check "it" (number 1): changed: has no Port, which TCP needs; it counts as healthy`},
		{"threshold", config("it", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80, "FailureThreshold": 11`), `health check "it" (number 1): changed: FailureThreshold "11" is not a whole number from 1 to 10; taken for 3`},
		{"interval", config("it", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80, "RequestInterval": 0`), `health check "it" (number 1): changed: RequestInterval "0" is not a whole number from 1 to 86400; taken for 30`},
		{"quoted number", config("it", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": "80"`), `health check "it" (number 1): changed: Port is the string "80"; taken for 80`},
		{"search string", config("it", `"Type": "HTTP_STR_MATCH", "IPAddress": "192.0.2.1"`), `health check "it" (number 1): changed: has no SearchString; the status code alone decides`},
		{"long search string", config("it", `"Type": "HTTP_STR_MATCH", "IPAddress": "192.0.2.1", "SearchString": "`+strings.Repeat("x", 256)+`"`), `health check "it" (number 1): changed: its SearchString has 256 bytes; 255 are the most; it counts as healthy`},
		{"metric", config("it", down), `health check "it" (number 1): changed: Type CLOUDWATCH_METRIC cannot be probed from here; it counts as unhealthy, by its InsufficientDataHealthStatus "Unhealthy"`},
		{"no threshold", config("it", `"Type": "CALCULATED"`), `health check "it" (number 1): changed: has no HealthThreshold; all of its 0 children have to be healthy`},
		{"many children", config("it", `"Type": "CALCULATED", "ChildHealthChecks": [`+many+`]`), `health check "it" (number 1): changed: has 256 children; 255 are the most; it counts as healthy`},
		{"its own child", config("it", `"Type": "CALCULATED", "ChildHealthChecks": ["it"], "HealthThreshold": 1`), `health check "it" (number 1): changed: its child "it" is calculated itself, which Route 53 does not allow; it counts as healthy`},
		{"twice", config("it", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80`) + "\n" + config("it", up), `health check "it" (number 2): left out: is already defined (1.json:1); the first definition is kept`},
		{"no id", `{"Type": "HTTP", "FullyQualifiedDomainName": "a.example.com", "ResourcePath": "/"}`, `health check "" (number 1): left out: has neither an Id nor a CallerReference, so no record set can name it`},
		{"odd", `{"Id": "it", "HealthCheckConfig": []}`, `health check "it" (number 1): changed: HealthCheckConfig is not in the form that Route 53 uses; it counts as healthy`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			im := loadPaths(t, "example.com.", write(t, tc.json)...).im
			line := 1 + strings.Count(tc.json, "\n")
			check(t, "problems", problems(im), []string{fmt.Sprintf("1.json:%d: %s", line, tc.want)})
		})
	}
}

// A check of the block's own stands in for one that no file defines, and clashes with one
// that a file defines.
func TestOwnCheck(t *testing.T) {
	paths := write(t, using("it"), config("it", `"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80`))
	options := route53json.Options{Zones: []string{"example.com."}}
	im, err := route53json.Load(context.Background(), paths[:1], options)
	if err != nil {
		t.Fatal(err)
	}
	own := healthcheck.Check{Name: "it", Spec: spec(healthcheck.TCP, "192.0.2.9", 443, nil)}
	c := record.NewCatalog(options.Zones)
	c.Checks = []healthcheck.Check{own}
	if err := im.AddTo(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	check(t, "held", held(c), []string{"c0.example.com. A simple check it = 192.0.2.1"})
	check(t, "problems", problems(im), nil)
	if len(c.Checks) != 1 {
		t.Errorf("%d checks, want the block's own", len(c.Checks))
	}

	if im, err = route53json.Load(context.Background(), paths, options); err != nil {
		t.Fatal(err)
	}
	c = record.NewCatalog(options.Zones)
	c.Checks = []healthcheck.Check{own}
	want := `check "it" is defined twice: here and at 2.json:1; keep it in one place`
	if err := im.AddTo(context.Background(), c); err == nil || err.Error() != want {
		t.Errorf("error %v\n want %s", err, want)
	}
}

// Only checks that a record set uses are carried over, each once; an id may come with
// the path that some interfaces put before it.
func TestUsedChecks(t *testing.T) {
	b := loadPaths(t, "example.com.", write(t, using("a", "/healthcheck/a", "sum"),
		`{"HealthChecks": [`+config("unused", up)+`,`+config("a", up)+`,`+config("b", up)+`,`+config("sum", `"Type": "CALCULATED", "ChildHealthChecks": ["b"], "HealthThreshold": 1`)+`]}`)...)
	var names []string
	for _, c := range b.catalog.Checks {
		names = append(names, c.Name)
	}
	check(t, "checks", names, []string{"a", "sum", "b"})
}
