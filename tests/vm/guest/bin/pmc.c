/*
 * pmc CPU N [VALUE]: read PMCn on a CPU by MRS, or write it by MSR, as a program without rights
 *
 * Dies of SIGILL where EL0 access is not open.
 */
#include <inttypes.h>

#include "perf.h"

#define REGISTER(n, crm)                                                                       \
	static uint64_t read_##n(void)                                                         \
	{                                                                                      \
		uint64_t value;                                                                \
		__asm__ volatile("isb; mrs %0, S3_2_C15_C" #crm "_0" : "=r"(value)::"memory"); \
		return value;                                                                  \
	}                                                                                      \
	static void write_##n(uint64_t value)                                                  \
	{                                                                                      \
		__asm__ volatile("msr S3_2_C15_C" #crm "_0, %0; isb" ::"r"(value) : "memory"); \
	}

REGISTER(0, 0)
REGISTER(1, 1)
REGISTER(2, 2)
REGISTER(3, 3)
REGISTER(4, 4)
REGISTER(5, 5)
REGISTER(6, 6)
REGISTER(7, 7)
REGISTER(8, 9) /* CRm 8 is skipped */
REGISTER(9, 10)

static uint64_t (*const readers[])(void) = { read_0, read_1, read_2, read_3, read_4,
					     read_5, read_6, read_7, read_8, read_9 };
static void (*const writers[])(uint64_t) = { write_0, write_1, write_2, write_3, write_4,
					     write_5, write_6, write_7, write_8, write_9 };

int main(int argc, char **argv)
{
	int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : -1;

	if (n < 0 || n > 9)
		return 2;
	pin_to((int)strtol(argv[1], NULL, 10));
	if (argc > 3)
		writers[n](strtoull(argv[3], NULL, 0));
	printf("%" PRIu64 "\n", readers[n]());
	return 0;
}
