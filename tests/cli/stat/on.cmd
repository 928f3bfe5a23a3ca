m1top stat --backend sim:seed=7,clock=virtual -n 60 -d 0.1 --on 'branch_mpki>8 for 200ms do mark' --on 'IPC<0.3 for 1s do mark' --format csv | grep '^# mark'
