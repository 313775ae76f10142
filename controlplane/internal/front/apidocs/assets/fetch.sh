#!/bin/sh
# Fetches the two viewers of the API's description and packs them for embedding:
#   swagger-ui.css.gz  swagger-ui-bundle.js.gz  notices.txt.gz  redoc.standalone.js.gz
# Run by the Makefile before `go build`; needs npm. Nothing is fetched when the packed files are newer than the lock file.
set -eu
cd "$(dirname "$0")"

newest=redoc.standalone.js.gz # packed last
if [ -s "$newest" ] && [ -s swagger-ui.css.gz ] && [ -s swagger-ui-bundle.js.gz ] && [ -s notices.txt.gz ] &&
	[ "$newest" -nt package-lock.json ] && [ "$newest" -nt fetch.sh ]; then
	exit 0
fi
command -v npm >/dev/null || { echo "apidocs: npm is needed to fetch the viewers of /docs and /redoc" >&2; exit 1; }

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

pack() { # source, name: the same input always gives the same bytes
	gzip -9n <"$1" >"$2.gz.part"
	mv "$2.gz.part" "$2.gz"
}
pack node_modules/swagger-ui-dist/swagger-ui.css swagger-ui.css
pack node_modules/swagger-ui-dist/swagger-ui-bundle.js swagger-ui-bundle.js

# The licences of both ask that their notices go along.
for notice in swagger-ui-dist/LICENSE swagger-ui-dist/NOTICE swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt \
	redoc/LICENSE redoc/bundles/redoc.standalone.js.LICENSE.txt; do
	if [ -f "node_modules/$notice" ]; then
		printf '%s\n\n' "== $notice"
		cat "node_modules/$notice"
		echo
	fi
done >notices.part
grep -q 'MIT' notices.part && grep -q 'Apache' notices.part || { echo "apidocs: the viewers' licences are not where they were" >&2; exit 1; }
pack notices.part notices.txt
rm -f notices.part

# Redoc draws a logo that it fetches from its makers; our pages fetch nothing from elsewhere.
logo='https://cdn.redoc.ly/redoc/logo-mini.svg'
redoc=node_modules/redoc/bundles/redoc.standalone.js
grep -q "$logo" "$redoc" || { echo "apidocs: redoc's bundle has no $logo any more; look where its logo comes from now" >&2; exit 1; }
sed "s|$logo|data:,|g" "$redoc" >redoc.part
pack redoc.part redoc.standalone.js
rm -f redoc.part
rm -rf node_modules
