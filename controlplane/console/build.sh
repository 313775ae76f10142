#!/bin/sh
# Builds the web console into dist. Run by the Makefile before `go build`; needs Node.js 20.19 or later with npm.
set -eu
cd "$(dirname "$0")"

command -v npm >/dev/null || { echo "console: Node.js with npm is needed to build it" >&2; exit 1; }
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
	{ echo "console: Node.js 20.19 or later is needed to build it; this is $(node --version)" >&2; exit 1; }

stamp=node_modules/.grantwright-lock
if ! cmp -s package-lock.json "$stamp"; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cp package-lock.json "$stamp"
fi
npm run -s build -- --logLevel warn

# The licences of what is built in ask that their notices go along.
npm ls --omit=dev --all --parseable | tail -n +2 | sort -u | while read -r package; do
	for notice in "$package"/LICEN[CS]E* "$package"/NOTICE*; do
		[ -f "$notice" ] || continue
		printf '%s\n\n' "== ${package##*node_modules/}"
		cat "$notice"
		echo
	done
done >dist/notices.txt
grep -q 'MIT' dist/notices.txt && grep -q 'SIL OPEN FONT' dist/notices.txt || { echo "console: the licences are not where they were" >&2; exit 1; }
