package main

import (
	"bufio"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/steerdns/steer/plugin/explain"
)

// console is what a command reads from and writes to.
type console struct {
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	style    explain.Style // of text for people
	now      func() time.Time
	progress *progress
}

// standard returns the console of the process.
func standard() *console {
	shown := &progress{}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		shown.w = os.Stderr
	}
	return &console{
		in:       os.Stdin,
		out:      bufio.NewWriterSize(&afterProgress{os.Stdout, shown}, 1<<16),
		err:      os.Stderr,
		style:    styleOf(term.IsTerminal(int(os.Stdout.Fd())), os.Getenv),
		now:      time.Now,
		progress: shown,
	}
}

// styleOf returns how text is shown: to people at a terminal with the characters that it
// shows and, unless they do not want any, with colours.
func styleOf(terminal bool, getenv func(string) string) explain.Style {
	style := explain.ASCII
	if !terminal {
		return style
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first that is set decides: locale(7)
		if locale := strings.ToLower(getenv(name)); locale != "" {
			if strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8") {
				style = explain.Unicode
			}
			break
		}
	}
	if getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		style.Paint = paint
	}
	return style
}

// colours are the parameters of the terminal's "select graphic rendition" (ECMA-48, section
// 8.3.117), by role.
var colours = map[explain.Role]string{
	explain.TitleRole:     "1",  // bold
	explain.HealthyRole:   "32", // green
	explain.UnhealthyRole: "31", // red
	explain.IdleRole:      "2",  // faint
	explain.OddsRole:      "36", // cyan
	explain.WarningRole:   "33", // yellow
	explain.QuietRole:     "2",  // faint
}

func paint(role explain.Role, s string) string {
	return "\x1b[" + colours[role] + "m" + s + "\x1b[0m"
}

// painted returns text in the console's style.
func (c *console) painted(role explain.Role, s string) string {
	if c.style.Paint == nil {
		return s
	}
	return c.style.Paint(role, s)
}

// write writes text.
func (c *console) write(parts ...string) {
	for _, s := range parts {
		_, _ = c.out.WriteString(s) // Flush returns the error
	}
}
