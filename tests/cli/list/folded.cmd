# variants of others are left out, and it is said so, until they are asked for
for kind in presets metrics; do
	m1top list $kind --demo | grep -c xscale
	m1top list $kind xscale --demo | grep -c ^xscale
	m1top list $kind --demo --json | grep -c '"name": "xscale'
done
