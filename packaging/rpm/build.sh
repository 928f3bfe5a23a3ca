#!/bin/sh
# build.sh VERSION: build/dist/m1top-VERSION.tar.gz as RPM packages in build/rpm (make rpm)
#
# On Debian rpm knows neither what is installed, so dependencies are not checked, nor systemd's macros, which are given
# as Fedora has them.
set -eu
cd "$(dirname "$0")/../.."
version=$1
top=$PWD/build/rpm

rm -rf "$top" && mkdir -p "$top/SOURCES"
cp "build/dist/m1top-$version.tar.gz" "$top/SOURCES/"
tar -xOzf "build/dist/m1top-$version.tar.gz" "m1top-$version/packaging/rpm/m1top.spec" |
	sed "s/@VERSION@/$version/" >"$top/m1top.spec"
packaging/changelog.sh rpm "$version" >>"$top/m1top.spec"

set -- --define "_topdir $top"
if [ -e /etc/debian_version ]; then
	set -- "$@" --nodeps --define '_unitdir /usr/lib/systemd/system' --define '_sysusersdir /usr/lib/sysusers.d' \
		--define '_udevrulesdir /usr/lib/udev/rules.d' --define 'systemd_post() : ' \
		--define 'systemd_preun() : ' --define 'systemd_postun_with_restart() : '
fi
rpmbuild "$@" -ba "$top/m1top.spec"
ls -l "$top"/RPMS/*/*.rpm
! command -v rpmlint >/dev/null || rpmlint --rpmlintrc packaging/rpm/m1top.rpmlintrc "$top"/m1top.spec "$top"/*RPMS/*.rpm "$top"/RPMS/*/*.rpm
