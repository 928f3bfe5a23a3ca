# of serve: a file for passwords that is none or says what nobody knows, and a limit without a file
mkfifo fifo
limited() # anything that would wait
{
	timeout 60 "$M1TOP" serve --demo --listen 127.0.0.1:0 -n 1 "$@"
}
limited --web-config fifo
printf 'no_such_key: 1\n' >web.yml
limited --web-config web.yml
cat web.yml | limited --web-config /dev/fd/0
limited --log-limit 100k
