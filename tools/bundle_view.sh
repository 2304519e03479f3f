#!/bin/sh
# Rebuilds the libraries of the page of `cloth-sim view`: page/vendor/. Needs npm.
set -eu
three=0.187.0 uplot=1.6.32 esbuild=0.28.2
vendor=$(cd "$(dirname "$0")/.." && pwd)/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init --yes > npm.log
npm install --no-audit --no-fund "three@$three" "uplot@$uplot" "esbuild@$esbuild" >> npm.log
cp "$vendor/entry.js" entry.js
npx esbuild entry.js --bundle --minify --format=iife --global-name=libraries --legal-comments=none \
    --outfile="$vendor/libraries.min.js"
cp node_modules/uplot/dist/uPlot.min.css "$vendor/uPlot.min.css"
for name in three uplot; do
    echo "$name $(node -p "require('./node_modules/$name/package.json').version")"
    echo
    cat "node_modules/$name/LICENSE"
    echo
done > "$vendor/LICENSES.txt"
