#include "discover/kernel/kernel.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

static bool has(enum kernel_need need)
{
#if defined(__x86_64__)
	return need != NEED_FMA || __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
	return need != NEED_ATOMICS || (getauxval(AT_HWCAP) & HWCAP_ATOMICS);
#else
	return need == NEED_NOTHING;
#endif
}

bool kernel_runs_here(const struct kernel *kernel)
{
	return kernel->programs || (kernel->trigger && has(kernel->need));
}

static void add(struct kernel_counts *sum, const struct kernel_counts *counts, uint64_t times)
{
	sum->instructions += times * counts->instructions;
	sum->branches += times * counts->branches;
	sum->loads += times * counts->loads;
	sum->stores += times * counts->stores;
}

struct kernel_counts kernel_truth_of(const struct kernel *kernel, uint64_t n)
{
	const struct kernel_truth *truth = kernel->truth;
	struct kernel_counts sum = truth->fixed;

	add(&sum, &truth->unit, n);
	add(&sum, &truth->block, n / KERNEL_BLOCK);
	add(&sum, &truth->rest, n % KERNEL_BLOCK);
	return sum;
}
