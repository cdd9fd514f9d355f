package corefile

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/parse"
	"github.com/coredns/coredns/plugin/pkg/transport"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// Directive is the keyword of a steer block.
const Directive = "steer"

// Block is a server block of a Corefile that holds a steer directive.
type Block struct {
	Name string     // what logs and metrics call it: "example.org.:53"
	Keys []string   // as CoreDNS writes them: "dns://example.org.:53"
	Pos  record.Pos // of the directive

	Lint lint.Options // of Load

	file   string
	root   string
	tokens []caddyfile.Token
	server int // its place among the server blocks
}

// File is a Corefile without what other plugins read.
type File struct {
	Blocks   []Block
	Zones    []string // of all server blocks, with a steer directive or without, canonical
	Problems []error  // stanzas that stand outside a steer block

	servers []server // all server blocks
}

// server is where a server block listens, and for which zones.
type server struct {
	zones     []string // canonical
	addresses []string // transport, port and what it is bound to
}

// ReadFile reads a Corefile as CoreDNS does, with snippets, imported files and environment
// variables. The path "-" is the standard input. It keeps the steer directives and skips
// those of other plugins. Its errors are those of files and of the structure of server
// blocks; [Block.Load] finds those of stanzas.
func ReadFile(path string) (*File, error) {
	if path == "-" {
		return Read("stdin", os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return Read(path, f)
}

// Read reads a Corefile from r: see [ReadFile]. The path is what errors call it, and what
// the files that it imports lie beside.
func Read(path string, r io.Reader) (*File, error) {
	blocks, err := caddyfile.Parse(path, r, nil)
	if err != nil {
		return nil, err
	}
	file := &File{}
	var names BlockNames
	for _, b := range blocks {
		keys, err := serverKeys(b.Keys)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		at := server{zones: zonesOf(keys), addresses: addresses(keys, b.Tokens["bind"])}
		file.Zones = append(file.Zones, at.zones...)
		file.servers = append(file.servers, at)
		file.Problems = append(file.Problems, strayStanzas(path, b.Tokens)...)
		tokens := b.Tokens[Directive]
		if len(tokens) == 0 {
			continue
		}
		block := Block{
			Name:   names.Name(keys),
			Keys:   keys,
			Pos:    position(path, tokens[0]),
			file:   path,
			tokens: tokens,
			server: len(file.servers) - 1,
		}
		if root := b.Tokens["root"]; len(root) > 1 {
			block.root = root[1].Text
		}
		file.Blocks = append(file.Blocks, block)
	}
	return file, nil
}

// Load reads the block's directive: see [Load].
func (b *Block) Load(ctx context.Context, now time.Time) (*Config, error) {
	tokens := caddyfile.NewDispenserTokens(b.file, b.tokens)
	return Load(ctx, &tokens, Env{Keys: b.Keys, Root: b.root, Now: now, Lint: b.Lint})
}

// Zones returns the canonical zones of the server block.
func (b *Block) Zones() []string { return zonesOf(b.Keys) }

// Others returns the zones of other server blocks that listen at an address of the block's:
// a query goes to the one with the closest zone.
func (f *File) Others(b *Block) []string {
	own := make(map[string]bool)
	for _, address := range f.servers[b.server].addresses {
		own[address] = true
	}
	var zones []string
	for i, s := range f.servers {
		if i != b.server && slices.ContainsFunc(s.addresses, func(address string) bool { return own[address] }) {
			zones = append(zones, s.zones...)
		}
	}
	return zones
}

// zonesOf returns the canonical zones of keys as [serverKeys] returns them.
func zonesOf(keys []string) []string {
	zones := make([]string, 0, len(keys))
	for _, key := range keys {
		zones = append(zones, plugin.Host(key).NormalizeExact()...)
	}
	return zones
}

// addresses returns where a server block listens: transport and port of each key, each with
// what its bind directive names, if it has one.
func addresses(keys []string, bind []caddyfile.Token) []string {
	at := []string{""}
	if len(bind) > 1 {
		at = nil
		for _, word := range bind[1:] {
			at = append(at, word.Text)
		}
	}
	var list []string
	for _, key := range keys {
		scheme, _, _ := strings.Cut(key, "://")
		port := key[strings.LastIndexByte(key, ':'):]
		for _, host := range at {
			if a := scheme + " " + host + port; !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

// BlockNames names the server blocks of one Corefile. The zero value is ready for use.
type BlockNames struct {
	taken map[string]int // how many have a name, without their numbers
}

// namedKeys is how many keys of a server block its name lists: it is a label of metrics,
// and a block may have thousands.
const namedKeys = 8

// Name returns what logs and metrics call a server block: its keys, without the scheme of
// plain DNS. Blocks that share them, as those with views do, are numbered.
func (n *BlockNames) Name(keys []string) string {
	short := make([]string, 0, namedKeys)
	for _, k := range keys[:min(len(keys), namedKeys)] {
		short = append(short, strings.TrimPrefix(k, transport.DNS+"://"))
	}
	name := strings.Join(short, " ")
	if more := len(keys) - len(short); more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	if n.taken == nil {
		n.taken = make(map[string]int)
	}
	n.taken[name]++
	if times := n.taken[name]; times > 1 {
		name += fmt.Sprintf(" #%d", times)
	}
	return name
}

// defaultServerPort are the ports of server blocks that give none.
var defaultServerPort = map[string]string{
	transport.DNS:    transport.Port,
	transport.TLS:    transport.TLSPort,
	transport.QUIC:   transport.QUICPort,
	transport.GRPC:   transport.GRPCPort,
	transport.HTTPS:  transport.HTTPSPort,
	transport.HTTPS3: transport.HTTPSPort,
}

// serverKeys returns the keys of a server block as CoreDNS writes them: scheme, absolute
// zone in lower case, and port. A reverse network can stand for several zones.
func serverKeys(keys []string) ([]string, error) {
	var out []string
	for _, key := range keys {
		scheme, rest := parse.Transport(key)
		hosts, port, err := plugin.SplitHostPort(rest)
		if err != nil {
			return nil, err
		}
		if port == "" {
			port = defaultServerPort[scheme]
		}
		for _, host := range hosts {
			out = append(out, scheme+"://"+plugin.Name(host).Normalize()+":"+port)
		}
	}
	return out, nil
}

// strayStanzas returns an error for each stanza of steer that stands in a server block
// itself: a '}' too many closed the steer block above it. CoreDNS would call it an unknown
// directive.
func strayStanzas(path string, directives map[string][]caddyfile.Token) []error {
	var errs []error
	for _, word := range []string{"simple", "weighted", "failover", "multivalue", "load_balancer", "check", "fallthrough", "fallthrough_types"} {
		if tokens := directives[word]; len(tokens) > 0 {
			errs = append(errs, record.ErrorAt(position(path, tokens[0]),
				"%q stands outside a steer block; is a '}' above it too many?", word))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return a.(*record.Error).Pos.Line - b.(*record.Error).Pos.Line })
	return errs
}

// position returns where a token stands. Those of the Corefile itself name no file.
func position(path string, t caddyfile.Token) record.Pos {
	if t.File != "" {
		path = t.File
	}
	return record.Pos{File: path, Line: t.Line}
}
