#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME. Targets are found in the test
# files, so a new one joins by being written.
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
FUZZTIME=${FUZZTIME:-10s}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# On a busy machine go test may report the end of FUZZTIME itself as a failure. One that
# found nothing says so and nothing else.
fuzz() {
	"$GO" test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$FUZZTIME" 2>&1 | tee "$out" && return
	grep -q '^ *context deadline exceeded$' "$out" && ! grep -qE 'Failing input|panic|_test\.go:' "$out" || return
	echo "(the time was up; nothing was found)"
}

found=0
while IFS=: read -r file target; do
	found=$((found + 1))
	echo "== $target in $(dirname "$file"), $FUZZTIME"
	fuzz "./$(dirname "$file")" "$target"
done < <(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's|^\./||; s|:func |:|' | sort)
echo "$found fuzz targets"
