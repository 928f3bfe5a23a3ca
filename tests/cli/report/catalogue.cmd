# what a catalogue decides: names of one expression are one metric if type, unit and scale agree; a part without a metric
cp -r "$M1TOP_EVENTS" events
cd events/arm64/apple && cp -r m1 m1p && cd ../../..
sed -i '/610f0230/s:apple/m1:apple/m1p:' events/arm64/mapfile.csv
sed -i 's/"bad_speculation"/"nothing"/' events/common/common/parts.json
metric() { printf '{ "MetricName": "%s", "MetricExpr": "%s", "ScaleUnit": "%s", "MetricGroup": "Own", "BriefDescription": "B" }' "$@"; }
for type in m1=INST_ALL m1p=CORE_ACTIVE_CYCLE; do
	printf '[%s,\n%s,\n%s]\n' "$(metric one INST_BRANCH/INST_ALL 1x)" "$(metric same_on_e "INST_BRANCH/${type#*=}" 1x)" \
		"$(metric thousand INST_BRANCH/INST_ALL 1000x)" >"events/arm64/apple/${type%=*}/own.json"
done
M1TOP_EVENTS=$PWD/events
export M1TOP_EVENTS
m1top stat --backend sim:seed=7,clock=virtual -M one,same_on_e,thousand -I 100 -n 5 -o a.csv 2>/dev/null
m1top report --by type -M one,same_on_e,thousand a.csv | grep 'one\|same_on_e\|thousand'
m1top report -j a.csv | grep -o '"parts":[^]]*'
