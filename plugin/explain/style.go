package explain

// Style is how text shows what it tells. It has no colours of its own.
type Style struct {
	Healthy   string // the mark of what is healthy and may be answered
	Unhealthy string // of what is unhealthy
	Idle      string // of what is healthy but not eligible

	Branch, Last   string // before an entry of a tree, and before the last one
	Through, Blank string // before what belongs to such an entry
	Arrow          string // between before and after

	// Paint returns text of a role as it is to be shown, with colours say. It must not
	// change its width. Nil shows it as it is.
	Paint func(role Role, text string) string
}

// Role is what a piece of text is.
type Role string

// The roles.
const (
	TitleRole     Role = "title"     // a name and type
	HealthyRole   Role = "healthy"   // a mark of what is healthy and eligible
	UnhealthyRole Role = "unhealthy" // a mark of what is unhealthy
	IdleRole      Role = "idle"      // a mark of what is not eligible
	OddsRole      Role = "odds"
	WarningRole   Role = "warning" // last resort, and what leads there
	QuietRole     Role = "quiet"   // sources and positions
)

// ASCII is a style for any terminal and for files.
var ASCII = Style{Healthy: "+", Unhealthy: "x", Idle: "-", Branch: "|- ", Last: "`- ", Through: "|  ", Blank: "   ", Arrow: "->"}

// Unicode is a style for terminals that show it.
var Unicode = Style{Healthy: "✔", Unhealthy: "✘", Idle: "○", Branch: "├─ ", Last: "└─ ", Through: "│  ", Blank: "   ", Arrow: "→"}

func (s *Style) paint(role Role, text string) string {
	if s.Paint == nil || text == "" {
		return text
	}
	return s.Paint(role, text)
}

// mark returns the mark of something.
func (s *Style) mark(healthy, eligible bool) string {
	switch {
	case !healthy:
		return s.paint(UnhealthyRole, s.Unhealthy)
	case eligible:
		return s.paint(HealthyRole, s.Healthy)
	}
	return s.paint(IdleRole, s.Idle)
}
