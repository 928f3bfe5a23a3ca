# Columns are as wide as the longest name of a function and of an object
m1top stat --backend sim:seed=7,clock=virtual,cores=2,tasks=8 --by function -e INST_ALL -n 1 --format csv -o session 2>/dev/null
sed 's/function=find_match/function=std::map<int,漢字>::find_a_match_in_the_window_before/; s/object=stockfish/object=a_program_with_a_long_name.so/' session >wide
m1top replay --to-stat --by function wide
