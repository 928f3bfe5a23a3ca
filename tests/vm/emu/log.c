// SPDX-License-Identifier: GPL-2.0-only
/* log.c: every MSR that was played and every access that was refused (and, on request, every MRS) */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "emu.h"

struct record {
	u64 time_ns, value;
	u32 encoding;
	u8 el;
	bool is_write, is_refused;
	char comm[TASK_COMM_LEN];
};

/* One log a core: no lock, and so no holder of it that the host could put to sleep. */
#define N_RECORDS 4096
static DEFINE_PER_CPU(struct record *, records);
static DEFINE_PER_CPU(unsigned int, n_added);
bool emu_log_has_reads;

int emu_log_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
	{
		per_cpu(records, cpu) = vzalloc(sizeof(struct record) * N_RECORDS);
		if (!per_cpu(records, cpu)) {
			emu_log_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void emu_log_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) vfree(per_cpu(records, cpu));
}

void emu_log_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu) per_cpu(n_added, cpu) = 0;
}

void emu_log_add(u32 encoding, bool is_write, u64 value, int el, bool is_refused)
{
	struct record *record;

	if (!is_write && !is_refused && !emu_log_has_reads)
		return;
	record = &__this_cpu_read(records)[__this_cpu_read(n_added) % N_RECORDS];
	__this_cpu_inc(n_added);
	*record = (struct record){
		.time_ns = ktime_get_ns(),
		.value = value,
		.encoding = encoding,
		.el = el,
		.is_write = is_write,
		.is_refused = is_refused,
	};
	memcpy(record->comm, current->comm, TASK_COMM_LEN);
}

static void show_record(struct seq_file *file, int cpu, const struct record *record)
{
	u32 encoding = record->encoding;

	seq_printf(file, "%llu cpu%d EL%d %s%s S3_%u_C%u_C%u_%u %#llx %s\n", record->time_ns, cpu,
		   record->el, record->is_write ? "MSR" : "MRS", record->is_refused ? "!UNDEF" : "",
		   (encoding >> 11) & 7, (encoding >> 7) & 15, (encoding >> 3) & 15, encoding & 7,
		   record->value, record->comm);
}

int emu_log_show(struct seq_file *file, void *unused)
{
	int cpu;

	for_each_possible_cpu(cpu)
	{
		unsigned int end = per_cpu(n_added, cpu), i = end > N_RECORDS ? end - N_RECORDS : 0;

		for (; i < end; i++)
			show_record(file, cpu, &per_cpu(records, cpu)[i % N_RECORDS]);
	}
	return 0;
}
