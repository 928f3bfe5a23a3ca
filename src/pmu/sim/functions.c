#include "pmu/sim/functions.h"

#include <stdio.h>

#define USER_CODE   UINT64_C(0x400000)
#define KERNEL_CODE UINT64_C(0xffff800008000000)
#define CODE_BYTES  UINT64_C(0x100)

/* Count the parts of function i. */
static uint64_t parts(unsigned i, unsigned n)
{
	static const uint8_t five[] = { 50, 30, 15, 4, 1 };

	return n == SIM_FUNCTIONS ? five[i] : n - i;
}

static uint64_t all_parts(unsigned n)
{
	return n == SIM_FUNCTIONS ? 100 : (uint64_t)n * (n + 1) / 2;
}

unsigned sim_function_draw(uint64_t drawn, unsigned n)
{
	uint64_t part = drawn % all_parts(n);
	unsigned i = 0;

	for (; part >= parts(i, n); i++)
		part -= parts(i, n);
	return i;
}

unsigned sim_function_turn(uint64_t t_ns, uint64_t period_ns, unsigned n)
{
	return sim_function_draw(t_ns % period_ns * all_parts(n) / period_ns, n);
}

/* Functions that call the others, from n + 1 on. */
enum { MAIN, COMPRESS_FILE, RESTORE_FILE };

static const char *const caller_name[SIM_CALLERS] = { "main", "compress_file", "restore_file" };

unsigned sim_function_callers(uint64_t drawn, unsigned n, uint64_t ret[SIM_CALLERS])
{
	static const uint8_t of_compress[] = { COMPRESS_FILE, MAIN },
			     of_restore[] = { RESTORE_FILE, RESTORE_FILE, MAIN };
	unsigned part = (unsigned)(drawn % 10), n_callers = part < 6 ? 2 : part < 9 ? 3 : 0;

	for (unsigned i = 0; i < n_callers; i++) {
		unsigned of = n_callers == 2 ? of_compress[i] : of_restore[i];

		ret[i] = USER_CODE + (n + 1 + of) * CODE_BYTES + 16;
	}
	return n_callers;
}

void sim_function_of(unsigned i, unsigned n, uint32_t pid, const char *comm,
		     struct sim_function *ret)
{
	static const char *const name[] = { "compress_block", "find_match", "update_hash",
					    "copy_bytes" };
	bool is_kernel = i + 1 == n || i == n;

	snprintf(ret->path, sizeof(ret->path), "/usr/bin/%s", comm ? comm : "unknown");
	if (i > n)
		snprintf(ret->symbol, sizeof(ret->symbol), "%s", caller_name[i - n - 1]);
	else if (i < 4)
		snprintf(ret->symbol, sizeof(ret->symbol), "%s", name[i]);
	else
		snprintf(ret->symbol, sizeof(ret->symbol), "function_%u", i + 1);
	if (is_kernel) {
		snprintf(ret->path, sizeof(ret->path), "kernel");
		snprintf(ret->symbol, sizeof(ret->symbol), i < n ? "copy_page" : "cpu_idle");
	}
	ret->map = (struct code_map){
		.pid = is_kernel ? 0 : pid,
		.start = (is_kernel ? KERNEL_CODE : USER_CODE) + i * CODE_BYTES,
		.size = CODE_BYTES,
		.offset = (is_kernel ? KERNEL_CODE : USER_CODE) + i * CODE_BYTES,
		.path = ret->path,
		.symbol = ret->symbol,
	};
}
