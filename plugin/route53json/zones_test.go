package route53json

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestZones: the zone of files is where an SOA is, or above all names.
func TestZones(t *testing.T) {
	set := func(name, typ string) string {
		return `{"Name": "` + name + `", "Type": "` + typ + `", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}`
	}
	tests := []struct {
		name    string
		sets    []string
		want    []string
		guessed bool
	}{
		{"an SOA", []string{set("a.b.Example.org", "A"), set("example.org.", "SOA")}, []string{"example.org."}, false},
		{"two zones", []string{set("example.org.", "SOA"), set("example.net.", "soa")}, []string{"example.net.", "example.org."}, false},
		{"above all names", []string{set("a.b.example.org.", "A"), set("c.b.example.org.", "A"), set("d.example.org.", "A")}, []string{"example.org."}, true},
		{"the first is above all", []string{set("example.org.", "A"), set("d.example.org.", "A")}, []string{"example.org."}, true},
		{"NS alone", []string{set("example.org.", "NS")}, []string{"example.org."}, true},
		{"one name", []string{set("www.example.org.", "A"), set("www.example.org.", "AAAA")}, nil, true},
		{"nothing in common", []string{set("example.org.", "A"), set("example.net.", "A")}, nil, true},
		{"a name that is none", []string{set("..", "A"), set("example.org.", "SOA")}, []string{"example.org."}, false},
		{"no record sets", nil, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "zone.json")
			text := `{"ResourceRecordSets": [` + strings.Join(tt.sets, ",\n") + `]}`
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			zones, guessed, err := Zones(t.Context(), []string{path})
			if err != nil || !slices.Equal(zones, tt.want) || guessed != tt.guessed {
				t.Errorf("got %q, %v, %v; want %q, %v", zones, guessed, err, tt.want, tt.guessed)
			}
		})
	}
}

// TestZonesErrors: files that cannot be loaded have no zones.
func TestZonesErrors(t *testing.T) {
	_, _, err := Zones(t.Context(), []string{"nowhere.json", "testdata"})
	if err == nil || !strings.Contains(err.Error(), "nowhere.json") || !strings.Contains(err.Error(), "testdata: is a directory") {
		t.Errorf("error %v, want one of each file", err)
	}
}
