# CPI beyond its threshold on E alone: a mark in the table, "bad" in JSON; no colour in a pipe
cp -r "$M1TOP_EVENTS" events
sed -i 's/"MetricName": "CPI",/&\n"MetricThreshold": "CPI > 0.5",/' events/arm64/apple/common/metrics.json
counting='--backend sim:seed=7,clock=virtual -n 1 --by type -M CPI -e cycles,instructions'
m1top stat --events-dir events $counting 2>/dev/null
m1top stat --events-dir events $counting --ascii 2>/dev/null | tail -2
m1top stat --events-dir events $counting -j | grep -o '"metric-[ntq][^,}]*'
