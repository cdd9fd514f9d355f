#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME. Targets are found in the test
# files, so a new one joins by being written.
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
FUZZTIME=${FUZZTIME:-10s}

found=0
while IFS=: read -r file target; do
	found=$((found + 1))
	echo "== $target in $(dirname "$file"), $FUZZTIME"
	"$GO" test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZTIME"
done < <(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's|^\./||; s|:func |:|' | sort)
echo "$found fuzz targets"
