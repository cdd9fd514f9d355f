#!/usr/bin/env bash
# Runs all benches, each bounded in time, and prints tables to paste; less than 15
# minutes in all. It installs nothing: what is missing is named and left out.
#
#   bench/run.sh [aims] [rest] [compare] [checks] [growth]
set -uo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
parts=${*:-aims rest compare checks growth}
failed=

if ! command -v "$GO" > /dev/null; then
	echo "bench: $GO is missing" >&2
	exit 1
fi
"$GO" version
uname -srm
grep -m1 'model name' /proc/cpuinfo
echo "cores: $(nproc); load before: $(cut -d' ' -f1-3 /proc/loadavg)"

# part NAME SECONDS COMMAND... runs a part unless it was not asked for.
part() {
	local name=$1 limit=$2
	shift 2
	case " $parts " in *" $name "*) ;; *) return ;; esac
	printf '\n=== %s (%s s)\n' "$*" "$SECONDS"
	timeout --foreground -k 10 "$limit" "$@" || failed="$failed $name"
}

part aims 170 "$GO" run ./bench/aims
part rest 40 "$GO" test ./bench -run '^$' -bench 'ServeWhile|Held' -benchtime 1s
part compare 250 "$GO" run ./bench/compare -rounds 8 -seconds 1
part checks 220 "$GO" run ./bench/checks -rounds 1 -seconds 4
part growth 215 "$GO" run ./bench/growth -rounds 5 -seconds 1

printf '\n=== done (%s s)\n' "$SECONDS"
if [ -n "$failed" ]; then
	echo "bench: failed or out of time:$failed" >&2
	exit 1
fi
