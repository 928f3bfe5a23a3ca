for event in 0x8d! PMC1=0x8d! PMC12=0x8d! PMC9=page-faults! 0x1ff 0xgg; do
	m1top stat --backend sim:seed=7,clock=virtual -n 1 -e "$event"
done
