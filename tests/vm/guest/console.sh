# shellcheck shell=sh
# console.sh: what a test on the host types into. No line editing: it would ask the terminal for the
# cursor and take what is typed meanwhile for the answer.
trap : INT
echo @host
while printf 'm1# ' && read -r line; do
	eval "$line"
done
