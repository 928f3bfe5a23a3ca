m1top survey -j --backend sim:seed=7,clock=virtual -t 20 -P branch 2>/dev/null >s.json
python3 - <<'EOF'
import json
for row in json.load(open("s.json"))["sessions"][0]["rows"]:
    print(row["name"], row["preset"], [(e["event"], round(e["share_pct"] or 0), round(e["per_kinst"], 2)) for e in row["explained"]])
EOF
# the page also of a command that fails, whose status it has; an existing file is neither overwritten nor read
m1top survey --demo sh -c 'exit 2' 2>/dev/null >page
echo status $?
head -1 page
m1top stat --demo -P all true 2>&1 | sed 's/^m1top: [0-9]*/m1top: N/'
m1top survey --demo -t 0.3 -o s.json
