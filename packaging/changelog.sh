#!/bin/sh
# changelog.sh deb|rpm VERSION: CHANGELOG.md's newest release as a package's changelog, under this version
set -eu
cd "$(dirname "$0")/.."
kind=$1 version=$2
who=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
date=$(sed -nE '1,/^## /s/^## .*\((.*)\)$/\1/p' CHANGELOG.md)

# Its points, a line each.
points() {
	awk '/^## / { n++ } n == 1 && /^\* / { if (point) print point; point = substr($0, 3) }
		n == 1 && /^  / { point = point " " substr($0, 3) } END { print point }' CHANGELOG.md | tr -d '\`'
}

case $kind in
deb) # older than a revision 1 of Debian's own
	printf 'm1top (%s-1~upstream1) unstable; urgency=medium\n\n' "$version"
	points | while read -r point; do
		echo "$point" | fold -s -w 72 | sed '1s/^/  * /; 2,$s/^/    /; s/ *$//'
	done
	printf '\n -- %s  %s\n' "$who" "$(LC_ALL=C date -u -d "$date" '+%a, %d %b %Y 00:00:00 +0000')"
	;;
rpm)
	printf '* %s %s - %s-1\n' "$(LC_ALL=C date -u -d "$date" '+%a %b %d %Y')" "$who" "$version"
	points | sed 's/^/- /'
	;;
esac
