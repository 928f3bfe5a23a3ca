# Who had most of it, of a session of two mux groups: estimates, a number that was given again, idle.
cp "$cases/../fuzz/fuzz_session/tasks.csv" a.csv
m1top report a.csv
echo
m1top report -j a.csv | sed -n '/"tasks"/,/"history"/p'
# The rows of types say it, those of cores do not.
m1top report --by core a.csv | grep -c 'who had most'
# Beside another one, in which a command is called otherwise.
sed 's/name=c$/name=cc1/' a.csv >b.csv
m1top report a.csv b.csv | sed -n '/who had/,$p'
m1top report -j a.csv b.csv | sed -n '/"commands":\[{"type"/,$p'
