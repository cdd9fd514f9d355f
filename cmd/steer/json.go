package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// encode writes a value as JSON, a line break after it. Text stays as it is: no browser
// reads it.
func encode(w io.Writer, v any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

// list writes a JSON object with one array as it comes, an element a line, since there may
// be millions.
type list struct {
	w       io.Writer
	n       int
	element bytes.Buffer
	err     error
}

// newList begins an object with an array under a key.
func newList(w io.Writer, key string) *list {
	l := &list{w: w}
	l.write(`{"` + key + `":[`)
	return l
}

func (l *list) add(v any) {
	if l.n++; l.n > 1 {
		l.write(",")
	}
	l.element.Reset()
	if err := encode(&l.element, v, ""); err != nil && l.err == nil {
		l.err = err
	}
	l.write("\n" + strings.TrimSuffix(l.element.String(), "\n"))
}

// end ends the object.
func (l *list) end() error {
	if l.n > 0 {
		l.write("\n")
	}
	l.write("]}\n")
	return l.err
}

func (l *list) write(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.w, s)
	}
}
