# A build without serve says so, and has nothing of it in its help and manual.
m1top serve --listen 127.0.0.1:0
echo "exit $?"
m1top --listen 127.0.0.1:0
echo "exit $?"
m1top --help | grep serve
m1top --man | grep serve
m1top --version | grep -o '^built without .*' | grep -ow serve
