echo '{"theme": "pink", "by": "type"}' >bad.json
echo '{"by": "type"}' >good.json
section() { m1top doctor --demo "$@" | sed -n '/^Configuration/,/^Machine/p'; }
section
section --config good.json
section --config bad.json
section --config none.json
