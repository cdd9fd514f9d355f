#!/usr/bin/env bash
# Builds CoreDNS the way its own users add plugins: with a line in plugin.cfg. The
# source of CoreDNS is the version that go.mod names; this tree stands in for the
# published module.
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
MODULE=github.com/steerdns/steer
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$GO" mod download github.com/coredns/coredns
cp -R "$("$GO" list -m -f '{{.Dir}}' github.com/coredns/coredns)" "$work/coredns"
chmod -R u+w "$work/coredns"
cd "$work/coredns"

awk -v line="steer:$MODULE" '$0 == "hosts:hosts" {print line} {print}' plugin.cfg > plugin.cfg.new
mv plugin.cfg.new plugin.cfg
"$GO" mod edit -require "$MODULE@v0.0.0" -replace "$MODULE=$root"
"$GO" generate coredns.go
CGO_ENABLED=0 "$GO" build -mod=mod -trimpath -o coredns .

fail() {
	echo "plugin.cfg build: $*" >&2
	exit 1
}
./coredns -plugins > plugins
grep -qx steer plugins || fail "coredns -plugins does not list steer"
after=$(grep -A1 -x $'\t"steer",' core/dnsserver/zdirectives.go | tail -n 1 | tr -d '\t",')
[ "$after" = hosts ] || fail "steer stands before \"$after\", want \"hosts\""
echo "plugin.cfg build: $(wc -l < plugins) lines of plugins, steer right before hosts"
