// SPDX-License-Identifier: GPL-2.0
/*
 * session.c: owner of the PMU and its requests
 *
 * The owner is an open file, guarded by `lock`. Each CPU has its own copy, written on that CPU:
 * requests for the calling CPU alone, such as every tick of a sampler, need no lock, only
 * interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "m1pmu.h"
#include "m1pmu_regs.h"

static DEFINE_MUTEX(lock);
static const struct file *owner;
static struct pid *owner_pid;
static bool is_over;   /* the registers were restored while the owner has the device open */
static bool is_closed; /* shutdown: no new owner */

const struct m1pmu_chip *m1pmu_chip;
u32 m1pmu_l2c_bit = 23;

void m1pmu_session_info(const struct file *file, struct m1pmu_info *ret)
{
	mutex_lock(&lock);
	if (owner)
		ret->flags |= M1PMU_OWNED;
	if (owner == file)
		ret->flags |= M1PMU_MINE;
	if (m1pmu_is_open())
		ret->flags |= M1PMU_EL0_OPEN;
	if (m1pmu_mode & PMCR0_L2C)
		ret->flags |= M1PMU_L2C_CLUSTER;
	ret->owner_pid = pid_vnr(owner_pid);
	mutex_unlock(&lock);
}

/* Check a CPU number. It is clamped, so that speculation past the comparison uses 0. */
int m1pmu_check_cpu(u32 *cpu)
{
	if (*cpu >= nr_cpu_ids)
		return -EINVAL;
	*cpu = array_index_nospec(*cpu, nr_cpu_ids);
	return cpu_possible(*cpu) ? 0 : -EINVAL;
}

/* ---- acquire and release ---- */

static void take(void *file)
{
	m1pmu_core_take(this_cpu_ptr(&m1pmu_cores), file);
}

static void give(void *unused)
{
	m1pmu_core_give(this_cpu_ptr(&m1pmu_cores));
}

/* Set the owner of offline CPUs: their state is saved when they come online. */
static void set_owner_offline(const struct file *file)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			m1pmu_core_set_owner(per_cpu_ptr(&m1pmu_cores, cpu), file);
}

static int acquire(const struct file *file)
{
	if (owner == file)
		return is_over ? -ECANCELED : 0;
	if (!m1pmu_chip || is_closed)
		return -ENODEV;
	if (owner) {
		pr_info_ratelimited("the PMU is in use by process %d\n", pid_nr(owner_pid));
		return -EBUSY;
	}
	if (m1pmu_driver_bound(true))
		return -EBUSY;
	owner = file;
	owner_pid = get_task_pid(current, PIDTYPE_TGID);
	m1pmu_mode = 0;
	cpus_read_lock();
	set_owner_offline(file);
	on_each_cpu(take, (void *)file, 1);
	cpus_read_unlock();
	return 0;
}

int m1pmu_acquire(const struct file *file)
{
	int err;

	mutex_lock(&lock);
	err = acquire(file);
	mutex_unlock(&lock);
	return err;
}

static void note_el0(bool on)
{
	if (on)
		m1pmu_note_caller("opened the PMU registers to user space: every process can read and write them");
	else
		pr_notice_ratelimited("PMU registers are closed to user space again\n");
}

static void give_all(void)
{
	int cpu;

	cpus_read_lock();
	set_owner_offline(NULL);
	on_each_cpu(give, NULL, 1);
	cpus_read_unlock();
	if (m1pmu_mode & PMCR0_EL0)
		note_el0(false);
	m1pmu_mode = 0;
	for_each_possible_cpu(cpu)
		m1pmu_guard_stop(cpu);
}

void m1pmu_session_end(const char *why, bool for_good)
{
	mutex_lock(&lock);
	is_closed |= for_good;
	if (owner && !is_over) {
		pr_notice("%s: the registers are put back, and the session of process %d has ended\n",
			  why, pid_nr(owner_pid));
		WRITE_ONCE(is_over, true);
		give_all();
	}
	mutex_unlock(&lock);
}

int m1pmu_release(const struct file *file)
{
	bool is_owner;

	mutex_lock(&lock);
	is_owner = owner == file;
	if (is_owner) {
		if (!is_over)
			give_all();
		WRITE_ONCE(is_over, false);
		m1pmu_is_misused = false;
		put_pid(owner_pid);
		owner_pid = NULL;
		owner = NULL;
	}
	mutex_unlock(&lock);
	return is_owner ? 0 : -EACCES;
}

/* ---- requests for the calling CPU ---- */

static int usable(const struct m1pmu_core *core, const struct file *file)
{
	if (core->owner != file)
		return READ_ONCE(is_over) && READ_ONCE(owner) == file ? -ECANCELED : -EACCES;
	return core->on ? 0 : -ENODEV;
}

int m1pmu_read(const struct file *file, struct m1pmu_read *ret_read, struct m1pmu_regs *ret_regs)
{
	struct m1pmu_core *core;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	core = this_cpu_ptr(&m1pmu_cores);
	err = usable(core, file);
	if (!err && ret_read && READ_ONCE(m1pmu_is_misused))
		err = -ECANCELED;
	if (!err && ret_read)
		m1pmu_core_read(core, ret_read);
	if (!err && ret_regs)
		m1pmu_core_regs(core, ret_regs);
	local_irq_restore(flags);
	return err;
}

/* ---- program ---- */

struct program {
	const struct file *file;
	struct m1pmu_control wanted;
	int err;
};

static void program(void *arg)
{
	struct m1pmu_core *core = this_cpu_ptr(&m1pmu_cores);
	struct program *p = arg;
	int err = usable(core, p->file);

	if (!err && p->wanted.pmcr0 && READ_ONCE(m1pmu_is_misused))
		err = -ECANCELED;
	if (err) {
		p->err = err;
		return;
	}
	core->wanted = p->wanted;
	m1pmu_core_apply(core);
}

static void program_one(u32 cpu, struct program *p)
{
	p->err = m1pmu_check_cpu(&cpu);
	if (!p->err && smp_call_function_single(cpu, program, p, 1))
		p->err = -ENODEV;
}

static void program_all(struct program *p)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(program, p, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu) && !p->err)
			per_cpu_ptr(&m1pmu_cores, cpu)->wanted = p->wanted;
	cpus_read_unlock();
}

static void dispatch(u32 cpu, struct program *p)
{
	unsigned long flags;

	if (cpu == M1PMU_THIS_CPU) {
		local_irq_save(flags);
		program(p);
		local_irq_restore(flags);
		return;
	}
	mutex_lock(&lock);
	if (owner != p->file)
		p->err = -EACCES;
	else if (cpu == M1PMU_ALL_CPUS)
		program_all(p);
	else
		program_one(cpu, p);
	mutex_unlock(&lock);
}

static int check_counter(const struct m1pmu_program *p, int i)
{
	u16 event = p->event[i];

	if (p->filter[i] & ~(M1PMU_USER | M1PMU_KERNEL))
		return -EINVAL;
	if ((p->enable & BIT(i)) && !p->filter[i])
		return -EINVAL;
	if (!event)
		return 0;
	if (i < 2)
		return -EINVAL;
	if (event >> m1pmu_chip->event_bits)
		return -ERANGE;
	if (p->flags & M1PMU_FORCE)
		return 0;
	return m1pmu_counters_of(m1pmu_chip, event) & BIT(i) ? 0 : -EINVAL;
}

static int check(struct m1pmu_program *p)
{
	int i, err;

	p->counter = -1;
	if ((p->flags & ~M1PMU_FORCE) || p->enable >> M1PMU_N_COUNTERS || p->reserved[0] ||
	    p->reserved[1])
		return -EINVAL;
	for (i = 0; i < M1PMU_N_COUNTERS; i++) {
		err = check_counter(p, i);
		if (err) {
			p->counter = i;
			return err;
		}
	}
	return 0;
}

int m1pmu_program(const struct file *file, struct m1pmu_program *p)
{
	struct program program = { .file = file };
	int err;

	if (!m1pmu_chip)
		return -EACCES;
	err = check(p);
	if (err)
		return err;
	program.wanted = m1pmu_compile(m1pmu_chip, p);
	dispatch(p->cpu, &program);
	return program.err;
}

/* ---- mode bits of every PMCR0 ---- */

static void apply(void *unused)
{
	struct m1pmu_core *core = this_cpu_ptr(&m1pmu_cores);

	if (!core->owner || !core->on)
		return;
	m1pmu_core_apply(core);
	if (m1pmu_is_open())
		m1pmu_guard_start();
}

static int set_mode(const struct file *file, u64 field, u64 value)
{
	if (owner != file)
		return -EACCES;
	if (m1pmu_is_misused || is_over)
		return -ECANCELED;
	if ((m1pmu_mode & field) == value)
		return 0;
	if (field == PMCR0_EL0)
		note_el0(value);
	WRITE_ONCE(m1pmu_mode, (m1pmu_mode & ~field) | value);
	on_each_cpu(apply, NULL, 1);
	return 0;
}

static int set_mode_locked(const struct file *file, u64 field, u32 on, u64 value)
{
	int err;

	if (on > 1)
		return -EINVAL;
	mutex_lock(&lock);
	err = set_mode(file, field, on ? value : 0);
	mutex_unlock(&lock);
	return err;
}

int m1pmu_set_el0(const struct file *file, u32 on)
{
	return set_mode_locked(file, PMCR0_EL0, on, PMCR0_EL0);
}

int m1pmu_set_l2c(const struct file *file, u32 cluster)
{
	return set_mode_locked(file, PMCR0_L2C, cluster, BIT_ULL(m1pmu_l2c_bit));
}

/* ---- end of a session ---- */

bool m1pmu_is_misused;

static u64 misused_pmcr0;
static int misused_cpu;

/* End the session after a misuse. The owner gets an error at its next read or program. */
static void end_session(struct work_struct *unused)
{
	struct program nothing = {};

	mutex_lock(&lock);
	if (owner && !is_over && m1pmu_is_misused) {
		pr_err("a process enabled the PMU's interrupts on CPU %d (PMCR0 %#llx), as everybody can while the registers are open to user space: they are closed and counting has stopped\n",
		       misused_cpu, misused_pmcr0);
		nothing.file = owner;
		program_all(&nothing);
	}
	mutex_unlock(&lock);
}

static DECLARE_WORK(end_work, end_session);

void m1pmu_note_misuse(u64 pmcr0)
{
	if (xchg(&m1pmu_is_misused, true))
		return;
	misused_pmcr0 = pmcr0;
	misused_cpu = raw_smp_processor_id();
	schedule_work(&end_work);
}

void m1pmu_session_exit(void)
{
	cancel_work_sync(&end_work);
}
