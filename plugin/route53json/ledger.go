package route53json

import (
	"hash/maphash"

	"github.com/steerdns/steer/plugin/record"
)

// ledger is what a file holds, item by item in its order: enough to tell which record
// sets of a later state of it are new, in 16 bytes for each.
type ledger []entry

// entry is an item of a file.
type entry struct {
	digest uint64 // of its bytes, or of what else tells it; 0 is like no other
	key    uint64 // of a record set in a list: the digest of its name and type; else 0
}

const (
	usualSize   = 300     // bytes of a file that stand for a record set, as the AWS CLI writes it
	maxExpected = 1 << 22 // record sets that there is room for before a second one is read
)

// enter notes an item of the file that is read.
func (l *loader) enter(e entry) {
	f := l.im.file(l.path)
	if f.ledger == nil {
		f.ledger = make(ledger, 0, min(l.size/usualSize, maxExpected))
	}
	f.ledger = append(f.ledger, e)
}

// pageDigest tells a list by what is said of it beside its items.
func pageDigest(it *item) uint64 {
	if it.unfinished() {
		return 2
	}
	return 1
}

// keyDigest returns the digest of a name and type, which is not 0.
func keyDigest(k record.Key) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(k.Name)
	_, _ = h.Write([]byte{byte(k.Type >> 8), byte(k.Type)})
	return h.Sum64() | 1
}

// keySet is a set of digests of names and types.
type keySet map[uint64]struct{}

func (s keySet) add(key uint64) { s[key] = struct{}{} }

func (s keySet) has(key uint64) bool {
	_, ok := s[key]
	return ok
}
