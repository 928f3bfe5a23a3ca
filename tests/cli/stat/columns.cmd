m1top stat --backend sim:seed=7,clock=virtual -n 20 -I 50 --format csv | grep -v '^#' | awk -F, '{ print NF }' | sort | uniq -c | sed 's/^ *//'
