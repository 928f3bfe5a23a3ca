# a list or a help that could not be written whole is a failure
[ -c /dev/full ] || exit 77
for words in 'list --demo' 'doctor --demo' '--help' '--version' 'stat --help'; do
	m1top $words >/dev/full 2>err
	echo "$? $(tail -1 err)"
done
