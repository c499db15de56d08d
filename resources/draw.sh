#!/bin/sh
# Draws every icon from its SVG source. Needs rsvg-convert (Debian: librsvg2-bin; macOS: brew install librsvg).
set -eu
cd "$(dirname "$0")"
css=$(mktemp)
trap 'rm -f "$css"' EXIT

draw() { # source, pixels, result, stylesheet
  printf '%s' "$4" >"$css"
  rsvg-convert --stylesheet "$css" --width "$2" --height "$2" --output "$3" "$1"
}

draw icon.svg 512 icon.png ''
for size in 16 32 48 64 128 256 512 1024; do draw icon.svg $size "icons/${size}x$size.png" ''; done

while IFS='|' read -r mood badge template; do
  draw icon.svg 32 "tray/$mood.png" "$badge"
  draw icon.svg 64 "tray/$mood@2x.png" "$badge"
  draw tray/template.svg 16 "tray/${mood}Template.png" "$template"
  draw tray/template.svg 32 "tray/${mood}Template@2x.png" "$template"
done <<'MOODS'
ready||
working|.bridge { opacity: 0.6 }|.bridge { opacity: 0.5 }
attention|.mark { display: inline }|.mark { display: inline }
signed-out|.badge { fill: #6b747d }|.bridge { fill: none; stroke: #000; stroke-width: 1.5 }
MOODS
