# shellcheck shell=sh
# console.sh: what a test on the host types into, until it types "exit". No line editing: it would ask
# the terminal for the cursor and take what is typed meanwhile for the answer.
trap : INT
trap echo EXIT # a prompt may stand there, and "@end" begins a line
echo @host
# Ctrl-C ends a command, or the line that is typed, but not the console: what is typed next would then
# stand in front of "@end", and nobody would hear that.
while printf 'm1# '; do
	line=
	read -r line
	eval "$line"
done
