package lint

import (
	"fmt"

	"github.com/steerdns/steer/plugin/record"
)

// Level is how bad a finding is.
type Level uint8

// The levels.
const (
	Info    Level = iota // worth a thought; found only if asked for
	Warning              // served as it stands, which is perhaps not what was meant
	Error                // not served
)

func (l Level) String() string {
	switch l {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "unknown"
}

// Finding is a trap at a place of the configuration.
type Finding struct {
	Trap  *Trap
	Level Level
	Pos   record.Pos

	// What it is about: a group, and a record set of it if that has a set identifier, or a
	// check. All three are empty if it is the block.
	Key   record.Key
	SetID string
	Check string

	text            func() (message, remedy string) // nil once they are made
	message, remedy string                          // remedy is "" if the trap's own will do
}

// At returns a finding of a trap that whoever reads the configuration has come upon. The
// format is that of the message.
func (t *Trap) At(pos record.Pos, format string, args ...any) Finding {
	return Finding{Trap: t, Level: t.Level, Pos: pos, message: fmt.Sprintf(format, args...)}
}

// in returns a finding in a record set of a group, or in the group if r is nil. text makes
// the message and, where the trap's own will not do, the remedy.
func (t *Trap) in(g *record.Group, r *record.RecordSet, text func() (message, remedy string)) Finding {
	f := Finding{Trap: t, Level: t.Level, Pos: g.Pos, Key: g.Key, text: text}
	if r != nil {
		f.Pos, f.SetID = r.Pos, r.SetID
	}
	return f
}

// About returns the finding with the group and the record set that it is about.
func (f Finding) About(k record.Key, setID string) Finding {
	f.Key, f.SetID = k, setID
	return f
}

// Written returns the finding with its texts made, which is left for later since most
// findings of a large catalog are only counted. It is to be done before the catalog changes,
// and before the finding is kept: until then it keeps what made it.
func (f Finding) Written() Finding {
	if f.text != nil {
		f.message, f.remedy = f.text()
		f.text = nil
	}
	return f
}

// Message says what is wrong.
func (f Finding) Message() string { return f.Written().message }

// Remedy says what mends it.
func (f Finding) Remedy() string {
	if remedy := f.Written().remedy; remedy != "" {
		return remedy
	}
	return f.Trap.Remedy
}

// Name returns the name that the finding is about: a group's or a check's.
func (f Finding) Name() string {
	if f.Check != "" {
		return f.Check
	}
	return f.Key.Name
}

// String returns all there is to say, but for the place, in a line for a log.
func (f Finding) String() string { return Line(f.Message(), f.Remedy(), f.Trap.ID) }

// Line returns what is wrong, what mends it and the id of the trap, in a line for a log.
func Line(message, remedy, id string) string { return fmt.Sprintf("%s; %s [%s]", message, remedy, id) }

// Refusal is a finding as the error that a catalog is refused for. Its text is the message.
type Refusal struct{ Finding }

func (r Refusal) Error() string { return r.Message() }

// Of returns the finding that a problem of a catalog's validation is.
func Of(p record.Problem) Finding {
	f := Finding{Trap: refusals[p.Kind], Level: Error, Pos: p.Pos, Key: p.Key, SetID: p.SetID, message: p.Err.Error()}
	if p.Level == record.Warning {
		f.Level = Warning
	}
	if f.Trap == nil {
		f.Trap = &Trap{ID: p.Kind, Level: f.Level}
	}
	return f
}
