# what events import cannot take, and what it cannot do
M1TOP_EVENTS='' XDG_DATA_HOME=$PWD/home
export M1TOP_EVENTS XDG_DATA_HOME
here() { sed -e "s/$(m1top doctor 2>/dev/null | sed -n 's/.*processor //p')/CPUID/" -e 's:\(x86\|arm64\)/:ARCH/:'; }
m1top events
m1top events export
m1top events import a b
m1top events import --events-dir linux
m1top events import gone
mkdir empty
m1top events import empty 2>&1 | here
printf '[{"EventName": 1}]' >one.json
m1top events import one.json
printf '[{"EventName": "a"},\n {"EventName": "b"}' >cut.json
m1top events import cut.json
m1top events import - <cut.json
printf '[{"EventName": "a"}]' >none.json
m1top events import none.json
echo text >text
m1top events import text
mkfifo fifo
m1top events import fifo
printf '[{"EventName": "a", "Topic": "t", "Encoding": "msr/event=0/", "Unit": "msr"}]' >one.json
XDG_DATA_HOME=/dev/null m1top events import one.json 2>&1 | here
echo '{"EventName": "a"}' >object.json
m1top events import object.json
printf '[{"EventName": "a", "Topic": "t", "Encoding": "cpu/event=none/"}]' >code.json
m1top events import code.json 2>&1 | here
find home -type f
