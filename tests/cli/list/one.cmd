# the whole text of one metric, of one preset, of an event among others; none of two
m1top list metrics xscale_fetch_latency --demo
m1top list presets xscale-fetch --demo
m1top list events inst_branch --demo
m1top list metrics "branch_m*" --demo
