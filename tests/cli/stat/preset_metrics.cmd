for preset in xscale-fetch xscale-dcache xscale-stall; do
	m1top stat --backend sim:seed=7,clock=virtual -n 1 --by type -P $preset
done
