#!/bin/sh
# build.sh VERSION: build/dist/m1top-VERSION.tar.gz as Debian packages in build/deb (make deb)
set -eu
cd "$(dirname "$0")/../.."
version=$1
source=build/deb/m1top-$version

rm -rf build/deb && mkdir -p build/deb
cp "build/dist/m1top-$version.tar.gz" "build/deb/m1top_$version.orig.tar.gz"
tar -C build/deb -xzf "build/deb/m1top_$version.orig.tar.gz"
cp -r "$source/packaging/debian" "$source/debian"
rm "$source/debian/build.sh"
"$source/packaging/changelog.sh" deb "$version" >"$source/debian/changelog"
(cd "$source" && debconf-updatepo && dpkg-buildpackage -us -uc)
ls -l build/deb/*.deb
