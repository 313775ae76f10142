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
