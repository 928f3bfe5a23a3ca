#!/bin/sh
# build.sh VERSION: build/dist/m1top-VERSION.tar.gz as Arch Linux packages in build/arch (make arch)
#
# makepkg does not run as root: root hands the folder to nobody. Where pacman is not the system's own it does not
# know what is installed, which is not asked for then.
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
	# Its way here may be closed to others: below /tmp it is open.
	away=$(mktemp -d /tmp/m1top-arch-XXXXXX)
	cp PKGBUILD "$tarball" "$away"
	chown -R nobody "$away"
	(cd "$away" && setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$away" makepkg "$@")
	cp "$away"/*.pkg.tar* . && rm -rf "$away"
else
	makepkg "$@"
fi
ls -l ./*.pkg.tar*
