# a FIFO has perhaps no writer, so it is refused; a pipe of the shell's has one
mkfifo fifo
limited() # anything that would wait
{
	timeout 60 "$M1TOP" "$@"
}
cp -r "$M1TOP_EVENTS" events
mkfifo events/arm64/apple/m1/more.json
limited list events mispred --demo --events-dir events
limited discover --resume fifo --demo
