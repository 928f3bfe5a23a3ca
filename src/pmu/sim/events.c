#include "pmu/sim/events.h"

#include <stddef.h>

/* Counter classes. Source: the masks of Linux drivers/perf/apple_m1_cpu_pmu.c */
enum {
	ANY = SIM_COUNTERS_ANY,
	M7 = 0x080,
	M567 = 0x0e0,
	M246 = 0x054,
	M2TO7 = 0x0fc,
};

/*
 * Invented but plausible rates. tests/unit/pmu/sim/test_load.c verifies: a part never exceeds its whole,
 * retired counts never exceed attempted ones, stalls leave enough cycles for the work.
 * A row's comment is the event's name; rows without one have no name published by Apple.
 */
/* clang-format off */
const struct sim_event sim_events[] = {
	/*                           integer     chase    stream   branchy      simd    kernel */
	{ 0x01, M7,    PER_INST,  {  1050000,  1040000,  1120000,  1060000,  1090000,  1080000 } }, /* RETIRE_UOP */
	{ 0x02, 0x3fd, PER_CYCLE, {  1000000,  1000000,  1000000,  1000000,  1000000,  1000000 } }, /* CORE_ACTIVE_CYCLE */
	{ 0x04, ANY,   PER_MISS,  {        2,        1,        1,       60,        4,      300 } }, /* L1I_TLB_FILL */
	{ 0x05, ANY,   PER_MISS,  {      300,    30000,      900,     1500,      250,     3000 } }, /* L1D_TLB_FILL */
	{ 0x07, ANY,   PER_MISS,  {        1,        1,        1,        8,        1,       40 } }, /* MMU_TABLE_WALK_INSTRUCTION */
	{ 0x08, ANY,   PER_MISS,  {       20,     9000,      250,      120,       30,      350 } }, /* MMU_TABLE_WALK_DATA */
	{ 0x0a, ANY,   PER_MISS,  {        1,        1,        1,        8,        1,       40 } }, /* L2_TLB_MISS_INSTRUCTION */
	{ 0x0b, ANY,   PER_MISS,  {       20,     9000,      250,      120,       30,      350 } }, /* L2_TLB_MISS_DATA */
	{ 0x0d, ANY,   PER_MISS,  {        1,        2,        3,        2,        1,       10 } }, /* MMU_VIRTUAL_MEMORY_FAULT_NONSPEC */
	{ 0x4c, ANY,   PER_INST,  {    60000,    20000,    15000,    35000,    10000,    30000 } },
	{ 0x51, ANY,   PER_CYCLE, {    20000,     5000,    10000,   120000,    15000,   160000 } }, /* SCHEDULE_EMPTY */
	{ 0x52, ANY,   PER_INST,  {  1096000,  1192000,  1220000,  1356000,  1155000,  1301000 } }, /* SCHEDULE_UOP */
	{ 0x53, ANY,   PER_INST,  {   710000,   570000,   320000,   860000,   205000,   760000 } },
	{ 0x54, ANY,   PER_INST,  {     6000,     2000,   300000,    16000,   530000,     1000 } },
	{ 0x55, ANY,   PER_INST,  {   380000,   620000,   600000,   480000,   420000,   540000 } },
	{ 0x56, ANY,   PER_INST,  {   640000,   520000,   290000,   740000,   185000,   650000 } },
	{ 0x57, ANY,   PER_INST,  {     6000,     2000,   290000,    15000,   510000,     1000 } },
	{ 0x58, ANY,   PER_INST,  {   365000,   505000,   535000,   435000,   395000,   485000 } },
	{ 0x59, ANY,   PER_CYCLE, { 18000000, 10000000,  8000000, 12000000,  6000000,  9000000 } },
	{ 0x5a, ANY,   PER_CYCLE, {  8000000, 30000000, 24000000,  9000000, 12000000, 10000000 } },
	{ 0x5b, ANY,   PER_CYCLE, {   100000,    50000, 20000000,   300000, 26000000,    50000 } },
	{ 0x6c, ANY,   PER_CYCLE, {       50,       50,       50,       60,       50,     9000 } }, /* INTERRUPT_PENDING */
	{ 0x6d, ANY,   PER_CYCLE, {   998000,   998000,   998000,   998000,   998000,   997000 } },
	{ 0x6e, ANY,   PER_CYCLE, {   996000,   996000,   996000,   996000,   996000,   995000 } },
	{ 0x70, ANY,   PER_CYCLE, {    60000,    30000,   380000,    50000,   120000,    60000 } }, /* MAP_STALL_DISPATCH */
	{ 0x75, ANY,   PER_MISS,  {     5100,     8500,      340,    30600,     1360,    15300 } }, /* MAP_REWIND */
	{ 0x76, ANY,   PER_CYCLE, {   110000,   820000,   640000,   120000,   210000,   260000 } }, /* MAP_STALL */
	{ 0x78, ANY,   PER_INST,  {  1011000,  1027000,  1115000,  1190000,  1090000,  1136000 } },
	{ 0x7c, ANY,   PER_INST,  {   700000,   560000,   310000,   820000,   200000,   720000 } }, /* MAP_INT_UOP */
	{ 0x7d, ANY,   PER_INST,  {   370000,   510000,   540000,   440000,   400000,   490000 } }, /* MAP_LDST_UOP */
	{ 0x7e, ANY,   PER_INST,  {     6000,     2000,   290000,    15000,   510000,     1000 } }, /* MAP_SIMD_UOP */
	{ 0x7f, ANY,   PER_INST,  {  1050000,   780000,   430000,  1150000,   290000,  1010000 } },
	{ 0x80, ANY,   PER_INST,  {   540000,   560000,   910000,   620000,   640000,   720000 } },
	{ 0x81, ANY,   PER_INST,  {    11000,     4000,   520000,    27000,  1180000,     2000 } },
	{ 0x84, ANY,   PER_MISS,  {        5,        5,        5,       10,        5,     2500 } }, /* FLUSH_RESTART_OTHER_NONSPEC */
	{ 0x8c, 0x082, PER_INST,  {  1000000,  1000000,  1000000,  1000000,  1000000,  1000000 } }, /* INST_ALL */
	{ 0x8d, M567,  PER_INST,  {   160000,   120000,    60000,   225000,    45000,   190000 } }, /* INST_BRANCH */
	{ 0x8e, M567,  PER_INST,  {    12000,     5000,     1000,    28000,     1500,    24000 } }, /* INST_BRANCH_CALL */
	{ 0x8f, M567,  PER_INST,  {    12000,     5000,     1000,    28000,     1500,    23000 } }, /* INST_BRANCH_RET */
	{ 0x90, M567,  PER_INST,  {    95000,    80000,    50000,   130000,    38000,   115000 } }, /* INST_BRANCH_TAKEN */
	{ 0x93, M567,  PER_INST,  {     3000,     1000,      200,    14000,      500,     7000 } }, /* INST_BRANCH_INDIR */
	{ 0x94, M567,  PER_INST,  {    80000,    50000,    45000,   100000,    30000,    70000 } }, /* INST_BRANCH_COND */
	{ 0x95, M567,  PER_INST,  {   220000,   420000,    20000,   240000,    40000,   260000 } }, /* INST_INT_LD */
	{ 0x96, M7,    PER_INST,  {    90000,    40000,    10000,    95000,    15000,   140000 } }, /* INST_INT_ST */
	{ 0x97, M7,    PER_INST,  {   500000,   400000,   230000,   400000,   120000,   360000 } }, /* INST_INT_ALU */
	{ 0x98, M567,  PER_INST,  {     2000,      500,   240000,     5000,   210000,      200 } }, /* INST_SIMD_LD */
	{ 0x99, M567,  PER_INST,  {     1000,      300,   160000,     3000,    85000,      100 } }, /* INST_SIMD_ST */
	{ 0x9a, M7,    PER_INST,  {     2000,      200,   260000,     4000,   470000,      200 } }, /* INST_SIMD_ALU */
	{ 0x9b, M7,    PER_INST,  {   313000,   460800,   430000,   343000,   350000,   400300 } }, /* INST_LDST */
	{ 0x9c, M567,  PER_INST,  {        5,        2,        2,       20,        5,     2500 } }, /* INST_BARRIER */
	{ 0x9f, M7,    PER_INST,  {    80000,    50000,    45000,   100000,    30000,    70000 } },
	{ 0xa0, ANY,   PER_INST,  {   335000,   520000,   445000,   410000,   362000,   460000 } }, /* L1D_TLB_ACCESS */
	{ 0xa1, ANY,   PER_MISS,  {      420,    42000,     1100,     2100,      330,     4200 } }, /* L1D_TLB_MISS */
	{ 0xa2, ANY,   PER_MISS,  {      900,      400,    21000,     1800,     4000,     3500 } }, /* L1D_CACHE_MISS_ST */
	{ 0xa3, ANY,   PER_MISS,  {     2600,    95000,    32000,     6500,     7000,     9000 } }, /* L1D_CACHE_MISS_LD */
	{ 0xa6, ANY,   PER_INST,  {   232000,   450000,   262000,   290000,   255000,   300000 } }, /* LD_UNIT_UOP */
	{ 0xa7, ANY,   PER_INST,  {    92000,    41000,   170500,   104000,   101000,   148000 } }, /* ST_UNIT_UOP */
	{ 0xa8, ANY,   PER_MISS,  {     1000,     2500,    20500,     2200,     4300,     3600 } }, /* L1D_CACHE_WRITEBACK */
	{ 0xb1, ANY,   PER_INST,  {      400,      100,     2000,      600,     1500,      900 } }, /* LDST_X64_UOP */
	{ 0xb2, ANY,   PER_INST,  {        4,        2,       30,        6,       20,        8 } }, /* LDST_XPG_UOP */
	{ 0xb3, ANY,   PER_INST,  {      100,       20,        5,      400,       20,     5000 } }, /* ATOMIC_OR_EXCLUSIVE_SUCC */
	{ 0xb4, ANY,   PER_INST,  {        2,        1,        1,       12,        1,      260 } }, /* ATOMIC_OR_EXCLUSIVE_FAIL */
	{ 0xbf, M567,  PER_MISS,  {     2300,    88000,    31000,     5200,     6700,     7600 } }, /* L1D_CACHE_MISS_LD_NONSPEC */
	{ 0xc0, M567,  PER_MISS,  {      850,      380,    20500,     1600,     3900,     3200 } }, /* L1D_CACHE_MISS_ST_NONSPEC */
	{ 0xc1, M567,  PER_MISS,  {      280,    28000,      850,     1300,      230,     2600 } }, /* L1D_TLB_MISS_NONSPEC */
	{ 0xc4, M567,  PER_MISS,  {        3,        1,        1,       12,        1,       20 } }, /* ST_MEM_ORDER_VIOL_LD_NONSPEC */
	{ 0xc5, M567,  PER_MISS,  {     1380,     2440,       94,     7600,      370,     3600 } }, /* BRANCH_COND_MISPRED_NONSPEC */
	{ 0xc6, M567,  PER_MISS,  {      120,       60,        6,     1400,       30,      900 } }, /* BRANCH_INDIR_MISPRED_NONSPEC */
	{ 0xc8, M567,  PER_MISS,  {       20,       10,        1,      150,        5,      120 } }, /* BRANCH_RET_INDIR_MISPRED_NONSPEC */
	{ 0xca, M567,  PER_MISS,  {       40,       20,        2,      450,       10,      380 } }, /* BRANCH_CALL_INDIR_MISPRED_NONSPEC */
	{ 0xcb, M567,  PER_MISS,  {     1500,     2500,      100,     9000,      400,     4500 } }, /* BRANCH_MISPRED_NONSPEC */
	{ 0xcd, ANY,   PER_MISS,  {     1520,     2700,      103,     8900,      405,     4200 } },
	{ 0xce, ANY,   PER_MISS,  {      135,       66,        7,     1650,       34,     1060 } },
	{ 0xd3, ANY,   PER_MISS,  {       64,       22,       16,     5500,      128,    10000 } },
	{ 0xd4, ANY,   PER_MISS,  {        3,        1,        1,       75,        5,      360 } }, /* L1I_TLB_MISS_DEMAND */
	{ 0xd5, ANY,   PER_MISS,  {     2900,     3100,      290,    16400,      870,    13500 } },
	{ 0xd6, ANY,   PER_CYCLE, {    90000,    25000,    15000,   300000,    40000,   340000 } }, /* MAP_DISPATCH_BUBBLE */
	{ 0xdb, ANY,   PER_MISS,  {       60,       20,       15,     5200,      120,     9500 } }, /* L1I_CACHE_MISS_DEMAND */
	{ 0xde, ANY,   PER_MISS,  {     3000,     3200,      300,    17000,      900,    14000 } }, /* FETCH_RESTART */
	{ 0xe5, ANY,   PER_INST,  {        0,        0,     3000,        0,      500,       40 } }, /* ST_NT_UOP */
	{ 0xe6, ANY,   PER_INST,  {        0,        0,      800,        0,      100,       10 } }, /* LD_NT_UOP */
	{ 0xe9, ANY,   PER_INST,  {   705000,   565000,   316000,   850000,   203000,   750000 } },
	{ 0xed, ANY,   PER_INST,  {   375000,   560000,   580000,   470000,   412000,   525000 } },
	{ 0xee, ANY,   PER_INST,  {     6000,     2000,   295000,    15500,   520000,     1000 } },
	{ 0xef, ANY,   PER_INST,  {   560000,   480000,   240000,   560000,   140000,   560000 } },
	{ 0xf5, M246,  PER_INST,  { 0 } },
	{ 0xf6, M246,  PER_INST,  { 0 } },
	{ 0xf7, M246,  PER_INST,  { 0 } },
	{ 0xf8, M2TO7, PER_INST,  { 0 } },
	{ 0xfd, M246,  PER_INST,  { 0 } },
};

/* clang-format on */

const unsigned n_sim_events = sizeof(sim_events) / sizeof(sim_events[0]);

const struct sim_event *sim_event_find(uint64_t id)
{
	for (unsigned i = 0; i < n_sim_events; i++)
		if (sim_events[i].id == id)
			return &sim_events[i];
	return NULL;
}

uint16_t sim_event_counters(uint64_t id)
{
	const struct sim_event *event = sim_event_find(id);

	return event ? event->counters : SIM_COUNTERS_ANY;
}
