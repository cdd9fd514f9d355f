# make            vet, lint and test: what a change has to pass
# make build      ./coredns, with steer compiled in, and ./steer, the command
# make help       the rest

GO      ?= go
COMMIT  ?= $(shell git describe --always --dirty --tags 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X github.com/coredns/coredns/coremain.GitCommit=$(COMMIT)

# One set of flags for all targets but race, so that they share what is compiled: CoreDNS
# with its plugins takes minutes.
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath)
export CGO_ENABLED := 0

# The linter is pinned; go run fetches and builds it like any other module. It reads all
# that a package imports, so it is spared cmd/coredns: a few lines, and all of CoreDNS.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# How long each fuzz target runs.
FUZZTIME ?= 10s

.DEFAULT_GOAL := all
.PHONY: all build test race vet lint fuzz bench plugincfg man clean help

all: vet lint test ## vet, lint and test

build: ## build ./coredns and ./steer
	$(GO) build -ldflags "$(LDFLAGS)" -o coredns ./cmd/coredns
	$(GO) build -ldflags "-s -w -X main.version=$(COMMIT)" -o steer ./cmd/steer

man: ## write the manual pages of steer into docs/man
	$(GO) generate ./cmd/steer

# The tag portable takes the code for systems other than Linux. What runs in parallel is run
# on one processor as well, by -cpu: go test takes a cached result whatever GOMAXPROCS is.
test: ## run all tests
	$(GO) test ./...
	$(GO) test -tags portable ./healthcheck
	$(GO) test -short -cpu 1 ./healthcheck ./plugin/handler ./plugin/routing
	$(GO) test -cpu 1 -run '^(TestAnswersFollowHealth|TestReloadWhileEverybodyAsks)$$' ./test

# Not bench: what is measured there, the race detector distorts.
race: ## run all tests under the race detector, which needs a C compiler
	CGO_ENABLED=1 $(GO) test -race $$($(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | grep -v /bench)

vet: ## go vet
	$(GO) vet ./...

lint: ## gofmt and staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; fi
	$(GO) run $(STATICCHECK) $$($(GO) list ./... | grep -v /cmd/coredns$$)

fuzz: ## run every fuzz target for FUZZTIME
	@GO="$(GO)" FUZZTIME="$(FUZZTIME)" scripts/fuzz.sh

bench: ## measure: in process, whole servers, checks, growth; under 15 minutes
	@GO="$(GO)" bench/run.sh

plugincfg: ## build CoreDNS the other way, with a line in its plugin.cfg
	@GO="$(GO)" scripts/plugincfg.sh

clean: ## remove what was built
	rm -f coredns steer

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
