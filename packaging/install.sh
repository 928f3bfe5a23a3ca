#!/bin/sh
# install.sh: copy m1top below DESTDIR and PREFIX, or remove it again
#
# usage: packaging/install.sh install|uninstall PROGRAM MANUAL     as `make install` and `make uninstall` do
# PREFIX, VERSION and DESTDIR come from make; sysconfdir, docdir, unitdir, zshdir and srcdir may be given, too.
set -eu
cd "$(dirname "$0")/.."

action=$1 program=$2 manual=$3
sysconfdir=${sysconfdir:-$PREFIX/etc}
docdir=${docdir:-$PREFIX/share/doc/m1top}
unitdir=${unitdir:-$PREFIX/lib/systemd/system}
zshdir=${zshdir:-$PREFIX/share/zsh/site-functions}
srcdir=${srcdir:-$PREFIX/src}
share=$PREFIX/share
module=$srcdir/m1pmu-$VERSION

# mode|source|destination: names may have blanks
table() {
	cat <<END
755|$program|$PREFIX/bin/m1top
755|packaging/hardware-report|$share/m1top/hardware-report
644|$manual|$share/man/man1/m1top.1
644|packaging/completions/m1top.bash|$share/bash-completion/completions/m1top
644|packaging/completions/_m1top|$zshdir/_m1top
644|packaging/completions/m1top.fish|$share/fish/vendor_completions.d/m1top.fish
644|packaging/m1top.desktop|$share/applications/m1top.desktop
644|packaging/m1top.svg|$share/icons/hicolor/scalable/apps/m1top.svg
644|packaging/sysctl.conf|$docdir/examples/60-m1top.conf
END
	case " ${WITHOUT-} " in *" serve "*) ;; *) table_of_serve ;; esac
	each events "$share/m1top/events"
	each kmod "$module"
	files README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md | to "$docdir"
	files docs/*.md docs/*.png | to "$docdir/docs"
	each docs/schema "$docdir/docs/schema"
}

table_of_serve() {
	cat <<END
644|packaging/m1top-serve.service|$unitdir/m1top-serve.service
644|packaging/m1top-serve.default|$sysconfdir/default/m1top-serve
644|packaging/grafana-dashboard.json|$docdir/examples/grafana-dashboard.json
644|packaging/prometheus-rules.yml|$docdir/examples/prometheus-rules.yml
END
}

files() { # names
	printf '%s\n' "$@"
}

to() { # folder
	while read -r file; do echo "644|$file|$1/${file##*/}"; done
}

each() { # folder destination: all that is kept in it, and nothing that was built there
	find "$1" -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod*' ! -name '.*' ! -name Module.symvers \
		! -name modules.order | sort | while read -r file; do echo "644|$file|$2/${file#"$1"/}"; done
}

# systemd splits at blanks and takes quotes away.
in_unit() { # path
	case $1 in *[\ \']*) printf '"%s"' "$1" ;; *) printf %s "$1" ;; esac
}

# The places that a file names become those of this installation.
fill() { # file
	sed "s|/usr/local/bin/m1top serve|$(in_unit "$PREFIX/bin/m1top") serve|; s|/etc/default|$sysconfdir/default|
		s|#MODULE_VERSION#|$VERSION|" "$1"
}

put() { # mode source destination
	echo "  INSTALL $DESTDIR$3"
	install -D -m "$1" "$2" "$DESTDIR$3"
	case $2 in
	*.service | *.conf) fill "$2" >"$DESTDIR$3" ;;
	esac
}

# What somebody has changed below sysconfdir stays.
take() { # mode source destination
	case $3 in
	"$sysconfdir"/*)
		if [ -e "$DESTDIR$3" ] && ! fill "$2" | cmp -s - "$DESTDIR$3"; then
			echo "  KEEP    $DESTDIR$3"
			return
		fi
		;;
	esac
	echo "  REMOVE  $DESTDIR$3"
	rm -f "$DESTDIR$3"
}

# All in these two is m1top's: nothing that an earlier version had may stay.
rm -rf "$DESTDIR$share/m1top/events" "$DESTDIR$srcdir"/m1pmu-[0-9]*
table | while IFS='|' read -r mode source destination; do
	case $action in
	install)
		case $destination in
		"$sysconfdir"/*) [ ! -e "$DESTDIR$destination" ] || continue ;; # somebody may have changed it
		esac
		put "$mode" "$source" "$destination"
		;;
	uninstall) take "$mode" "$source" "$destination" ;;
	esac
done
# Folders of others stay, empty or not.
[ "$action" = install ] || for folder in "$share/m1top" "$docdir" "$module"; do
	[ ! -d "$DESTDIR$folder" ] || find "$DESTDIR$folder" -depth -type d -empty -delete
done
