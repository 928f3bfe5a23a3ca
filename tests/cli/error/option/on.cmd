for on in 'IPC>1' 'IPC>1 do ' 'IPC 1 do mark' 'IPC>x do mark' 'IPC>1 for x do mark' 'IPC>1 by x do mark' 'IPX>1 do mark' 'IPC>1 do mork' 'IPC>1 do write:' 'IPC>1 do mark,tasks:x' 'IPC>1 do preset:nix' 'l2_tlb_inst_mpki>1 do mark'; do
	m1top stat --backend sim:clock=virtual -n 1 --on "$on"
done
m1top stat --backend sim -n 1 --on 'IPC>1 do mark, write:'
m1top stat --backend sim:clock=virtual -n 1 -e cycles,instructions --on 'IPC>0 by system do mark' --metric-only
