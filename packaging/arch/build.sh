#!/bin/sh
# build.sh VERSION: build/dist/m1top-VERSION.tar.gz as Arch Linux packages in build/arch (make arch)
#
# makepkg refuses to run as root: the user nobody runs it then. Where pacman is not the system's own it does not know what is
# installed, so dependencies are not checked.
set -eu
cd "$(dirname "$0")/../.."
version=$1
tarball=m1top-$version.tar.gz

rm -rf build/arch && mkdir -p build/arch
cp "build/dist/$tarball" build/arch/
tar -xOzf "build/dist/$tarball" "m1top-$version/packaging/arch/PKGBUILD" |
	sed "s/@VERSION@/$version/; s/@SHA256@/$(sha256sum "build/dist/$tarball" | cut -d' ' -f1)/" >build/arch/PKGBUILD
set --
[ -e /etc/arch-release ] || set -- --nodeps
cd build/arch
if [ "$(id -u)" = 0 ]; then
	away=$(mktemp -d /tmp/m1top-arch-XXXXXX) # nobody may not be able to reach this folder
	trap 'rm -rf "$away"' EXIT
	cp PKGBUILD "$tarball" "$away"
	chown -R nobody "$away"
	(cd "$away" && setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env HOME="$away" makepkg "$@")
	cp "$away"/*.pkg.tar* .
else
	makepkg "$@"
fi
ls -l ./*.pkg.tar*
