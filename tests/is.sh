# shellcheck shell=sh
# is.sh: compare two texts and report the test; sourced. Sets n, the number of tests, and failed
# shellcheck disable=SC2034 # of who sources it
n=0
failed=0

is() { # name got wanted
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		printf '%s\n-- instead of\n%s\n' "$2" "$3" | sed 's/^/# /'
	fi
}
