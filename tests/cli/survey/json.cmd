m1top survey -j --backend sim:seed=7,clock=virtual -t 20 -P branch 2>/dev/null >s.json
python3 - <<'EOF'
import json
for row in json.load(open("s.json"))["sessions"][0]["rows"]:
    print(row["name"], row["preset"], [(e["event"], round(e["share_pct"] or 0), round(e["per_kinst"], 2)) for e in row["explained"]])
EOF
m1top survey --demo false >/dev/null 2>&1
echo status $?
