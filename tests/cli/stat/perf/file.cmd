# perf begins a file with the date, each time that something is added
run() { m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 0 -e cycles --format perf -o out "$@"; }
run && run --append && cat out
