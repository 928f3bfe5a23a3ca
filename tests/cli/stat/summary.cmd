# all intervals together, in each form that has a place for it
for form in table perf json; do
	m1top stat --backend sim:seed=7,clock=virtual -n 2 -C 0,4 -e cycles,instructions --summary --format $form
done
m1top stat --backend sim:seed=7,clock=virtual -n 1 -C 0 -e cycles --summary --no-csv-summary -x";"
m1top stat --backend sim:seed=7,clock=virtual -n 1 --summary --format csv
