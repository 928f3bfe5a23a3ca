# A build without symbols says so.
m1top --version | grep -o '^built without .*' | grep -ow symbols
