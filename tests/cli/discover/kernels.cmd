# which of them run here is the processor's affair
m1top discover --list-kernels | awk '{ $2 = ""; print }'
