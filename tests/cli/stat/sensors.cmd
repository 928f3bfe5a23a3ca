# a machine without sensors says so; readings are shown by tests/cli/replay/sensors and tests/vm/guest/driver/70-sensors.sh
m1top stat --backend sim:seed=7,clock=virtual -n 1 -e cycles --by system --sensors
