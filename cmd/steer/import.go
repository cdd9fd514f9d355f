package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/corefile/stanza"
	"github.com/steerdns/steer/plugin/explain"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// report is what `steer import -o json` prints.
type report struct {
	Zones    []string       `json:"zones"`
	Guessed  bool           `json:"guessed"` // the zones, by the names in the files
	Files    []importedFile `json:"files"`
	Problems []problem      `json:"problems"` // their level is "left_out", "changed", "warning" or "info"
	Counts   []problemCount `json:"counts"`   // of all problems: at most 1,000 of each id are listed for a file
}

// importedFile is one file of a report.
type importedFile struct {
	File         string `json:"file"`
	RecordSets   int    `json:"record_sets"`   // that are served
	HealthChecks int    `json:"health_checks"` // that are defined
	LeftOut      int    `json:"left_out"`      // record sets and health checks that are not served
	Changed      int    `json:"changed"`       // served otherwise than they are written
	Warnings     int    `json:"warnings"`      // served as they are written, which is perhaps not meant
}

// problemCount is how many problems of an id a file has.
type problemCount struct {
	File  string `json:"file"`
	ID    string `json:"id"`
	Count int    `json:"count"`
}

func newImport(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Say what becomes of Route 53 files when a block imports them",
		Long: `import reads files of Route 53's JSON as a steer block with a line "route53 FILE..." does, and
says what of them is served, what is served otherwise than it is written, and what is left out.
The files are those of the AWS CLI: list-resource-record-sets, list-health-checks, change
batches and the like, told apart by their content.

The zone is that of the SOA record in the files, or the closest name above all of theirs;
--zone sets it. With --strict it finds what is worth a thought, too, as lint does.

With --to corefile it prints a server block with the stanzas that say the same, and the report
goes to the standard error. What stanzas cannot say is a comment at its place.`,
		Example: `  steer import zone.json checks.json
  steer import --zone example.org 'zones/*.json' -o json
  steer import zone.json checks.json --to corefile > Corefile`,
		Args: arguments(1, -1, "files"),
	}
	zone := cmd.Flags().String("zone", "", "the zone of the files")
	strict := cmd.Flags().Bool("strict", false, "find what is worth a thought, too")
	output := addOutput(cmd)
	to := addChoice(cmd, "to", "", "what to turn the files into: corefile", "", "corefile")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if to.word != "" && cmd.Flags().Changed("output") {
			return usage(cmd, errors.New("--to and --output exclude each other"))
		}
		name, err := parseZone(*zone)
		if err != nil {
			return usage(cmd, err)
		}
		h, err := c.importFiles(cmd.Context(), args, name, lint.Options{Strict: *strict})
		if err != nil {
			return err
		}
		c.progress.end()
		r := newReport(h)
		switch {
		case to.word != "":
			if err := c.writeStanzas(h, r); err != nil {
				return err
			}
		case output.word == inJSON:
			if err := encode(c.out, r, "  "); err != nil {
				return err
			}
		default:
			c.tellReport(c.out, r)
		}
		if len(r.Problems) > 0 {
			return errFound
		}
		return nil
	}
	return cmd
}

// newReport returns what became of files.
func newReport(h *hosted) *report {
	r := &report{Zones: append([]string{}, h.zones...), Guessed: h.guessed, Files: []importedFile{}, Problems: []problem{}, Counts: []problemCount{}}
	for _, f := range h.config.Import.Files {
		r.Files = append(r.Files, importedFile{relative(f.Path), f.RecordSets, f.HealthChecks, f.LeftOut, f.Changed, f.Warnings})
	}
	for _, f := range h.config.Findings { // of no file
		r.Problems = append(r.Problems, findingProblem(f))
	}
	for _, p := range h.config.Import.Problems {
		q := newProblem(p.Pos, strings.ReplaceAll(p.Level.String(), " ", "_"), string(p.Kind), p.Reason)
		q.Name, q.Type, q.SetID, q.Remedy = p.Name, p.Type, p.SetID, p.Remedy
		r.Problems = append(r.Problems, q)
	}
	for _, n := range h.config.Import.Counts() {
		r.Counts = append(r.Counts, problemCount{relative(n.File), string(n.Kind), n.N})
	}
	return r
}

// writeStanzas writes a server block that means the same as imported files, and says on the
// standard error what it does not say.
func (c *console) writeStanzas(h *hosted, r *report) error {
	if len(h.zones) == 0 {
		return errors.New("the files hold no record sets to write as stanzas")
	}
	c.progress.begin("writing stanzas", 0)
	options := stanza.Options{Block: true, Notes: make(map[string][]string)}
	for _, p := range h.config.Import.Problems {
		if p.Level == route53json.LeftOut || p.Level == route53json.Changed {
			p.Pos.File = relative(p.Pos.File)
			options.Notes[p.Name] = append(options.Notes[p.Name], p.String())
		}
	}
	unsaid, err := stanza.Write(c.out, h.config.Catalog, options)
	if err != nil {
		return err
	}
	c.progress.end()
	c.tellReport(c.err, r)
	for _, line := range unsaid {
		fmt.Fprintln(c.err, line)
	}
	if len(unsaid) > 0 {
		return errFound
	}
	return nil
}

// tellReport writes a report for people.
func (c *console) tellReport(w io.Writer, r *report) {
	switch {
	case len(r.Zones) == 0:
		fmt.Fprintln(w, "no record sets")
	case r.Guessed:
		fmt.Fprintf(w, "zone %s (a guess by the names; --zone sets it)\n", c.painted(explain.TitleRole, r.Zones[0]))
	default:
		fmt.Fprintf(w, "zone %s\n", c.painted(explain.TitleRole, record.Enumerate(r.Zones)))
	}
	rows := [][]string{{"file", "record sets", "health checks", "left out", "changed", "warnings"}}
	for _, f := range r.Files {
		row := []string{f.File}
		for _, n := range []int{f.RecordSets, f.HealthChecks, f.LeftOut, f.Changed, f.Warnings} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	writeTable(w, rows)
	if len(r.Problems) > 0 {
		fmt.Fprintln(w)
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		p.Level = strings.ReplaceAll(p.Level, "_", " ")
		_, _ = io.WriteString(w, c.problemText(p))
	}
}
