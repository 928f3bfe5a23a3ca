# A build without sensors reads none, and says so.
m1top stat --backend sim:clock=virtual --sensors -n 1 -e cycles 2>&1 | grep -o 'built without libsensors'
m1top --version | grep -o '^built without .*' | grep -ow sensors
