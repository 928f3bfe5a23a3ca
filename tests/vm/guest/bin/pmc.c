/*
 * pmc CPU N [VALUE]: read PMCn on a CPU by MRS, or write it by MSR, as a program without rights; PMCR0
 * is N 10
 *
 * Dies of SIGILL where EL0 access is not open.
 */
#include <inttypes.h>

#include "perf.h"

#define REGISTER(n, name)                                                          \
	static uint64_t read_##n(void)                                             \
	{                                                                          \
		uint64_t value;                                                    \
		__asm__ volatile("isb; mrs %0, " name : "=r"(value)::"memory");    \
		return value;                                                      \
	}                                                                          \
	static void write_##n(uint64_t value)                                      \
	{                                                                          \
		__asm__ volatile("msr " name ", %0; isb" ::"r"(value) : "memory"); \
	}

REGISTER(0, "S3_2_C15_C0_0")
REGISTER(1, "S3_2_C15_C1_0")
REGISTER(2, "S3_2_C15_C2_0")
REGISTER(3, "S3_2_C15_C3_0")
REGISTER(4, "S3_2_C15_C4_0")
REGISTER(5, "S3_2_C15_C5_0")
REGISTER(6, "S3_2_C15_C6_0")
REGISTER(7, "S3_2_C15_C7_0")
REGISTER(8, "S3_2_C15_C9_0") /* CRm 8 is skipped */
REGISTER(9, "S3_2_C15_C10_0")
REGISTER(10, "S3_1_C15_C0_0")

static uint64_t (*const readers[])(void) = { read_0, read_1, read_2, read_3, read_4, read_5,
					     read_6, read_7, read_8, read_9, read_10 };
static void (*const writers[])(uint64_t) = { write_0, write_1, write_2, write_3, write_4, write_5,
					     write_6, write_7, write_8, write_9, write_10 };

int main(int argc, char **argv)
{
	int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : -1;

	if (n < 0 || n > 10)
		return 2;
	pin_to((int)strtol(argv[1], NULL, 10));
	if (argc > 3)
		writers[n](strtoull(argv[3], NULL, 0));
	printf("%" PRIu64 "\n", readers[n]());
	return 0;
}
