# shellcheck shell=sh
# arch.sh: what $target, a kernel (6.12-amd64, 6.1) or an architecture, is built with; to be sourced
# shellcheck disable=SC2034,SC2154 # of those who source it
case $target in
*amd64) arch=amd64 triplet=x86_64-linux-gnu ARCH=x86 loader=lib64/ld-linux-x86-64.so.2 ;;
*) arch=arm64 triplet=aarch64-linux-gnu ARCH=arm64 loader=lib/ld-linux-aarch64.so.1 ;;
esac
CROSS_COMPILE=$triplet-
