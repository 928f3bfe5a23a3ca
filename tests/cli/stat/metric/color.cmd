# red on a terminal, and not where colour is not wanted
command -v script >/dev/null || exit 77
cp -r "$M1TOP_EVENTS" events
sed -i 's/"MetricName": "CPI",/&\n"MetricThreshold": "CPI > 0.5",/' events/arm64/apple/common/metrics.json
export M1TOP
stat="\"\$M1TOP\" stat --events-dir events --backend sim:seed=7,clock=virtual -n 1 --by type -M CPI -e cycles"
on_terminal() { script -qec "$1" /dev/null | grep ' [EP] ' | tr '\r\033' ' ^'; }
on_terminal "$stat,instructions"
on_terminal "$stat,instructions --no-color"
on_terminal "NO_COLOR=1 $stat,instructions"
