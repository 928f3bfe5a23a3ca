m1top doctor --demo | grep -v -e kernel -e 'open files' -e folder -e paranoid -e capabilities -e 'runs as' -e '^  .*perf:' -e '^  .*apple:' -e hold -e cgroup -e 'real time' -e '^  sudo' |
	sed 's/[0-9]* events, [0-9]* metrics, [0-9]* presets/N events, N metrics, N presets/'
