# shellcheck shell=sh
# system.sh: a Debian of its own, for scripts that are called with FOLDER [RELEASE [COMMIT]]
#
# Sourced, it makes the system in FOLDER if that is missing, mounts what a system needs, and clones COMMIT to /root/m1top
# there. It starts the script again in a mount namespace: whatever way that ends, no mount stays behind.
[ "${FRESH-}" ] || FRESH=1 exec unshare --mount "$0" "$@"

folder=$1 release=${2-} commit=${3:-HEAD}
path=/usr/sbin:/usr/bin:/sbin:/bin
repo=$(cd "$(dirname "$0")/.." && pwd)

source_of() { # field
	apt-get indextargets --format "\$($1)" 'Created-By: Packages' | head -n 1
}

make_system() {
	[ -e "$folder/etc/debian_version" ] && return
	debootstrap --variant=minbase --include=git,make,ca-certificates \
		"${release:-$(source_of CODENAME)}" "$folder" "$(source_of REPO_URI)" >"$folder.log"
	apt-config dump --no-empty Acquire >"$folder/etc/apt/apt.conf.d/10acquire"
	cp -L /etc/resolv.conf "$folder/etc/"
}

mount_system() {
	mount --bind "$folder" "$folder" # a mount point of its own, as a root is
	mount -t proc proc "$folder/proc"
	mount --rbind /sys "$folder/sys"
	mount --rbind /dev "$folder/dev"
}

inside() { # shell line
	chroot "$folder" env -i PATH="$path" HOME=/root TERM=tmux-256color LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		sh -c "cd /root/m1top && $1"
}

clone() {
	rm -rf "$folder/root/m1top"
	git -c safe.directory='*' clone -q "$repo" "$folder/root/m1top"
	git -C "$folder/root/m1top" checkout -q "$(git -C "$repo" rev-parse "$commit")"
}

mkdir -p "$folder"
make_system
mount_system
clone
