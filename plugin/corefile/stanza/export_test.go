package stanza

// WritableID is for the comparison in tests.
func WritableID(id string) (string, bool) {
	written, ok := word(id)
	return written, ok && len(id) <= maxID
}

// Word is word.
var Word = word
