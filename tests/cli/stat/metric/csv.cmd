# metric rows behind each core's counts, none of the core that is off; 0/0 has no figure
m1top stat --backend "sim:seed=7,clock=virtual,cores=2,offline=1@1-2" -n 2 -e cycles,instructions --format csv -M IPC,'z=(cycles-cycles)/(instructions-instructions)'
# a metric of devices: of the core that reads them alone
m1top stat --backend "sim:seed=7,clock=virtual,cores=2,smmu=1" -n 1 --format csv -M smmu_tlb_miss_ratio 2>/dev/null | grep ',metric,'
