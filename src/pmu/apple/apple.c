#include "pmu/apple/apple.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/apple/regs.h"
#include "pmu/machine.h"

static const struct option {
	const char *text;
	size_t field; /* offset in struct apple_options, of a bool */
	bool value;
	const char *what;
} table[] = {
	{ "el0", offsetof(struct apple_options, el0), true,
	  "counters are read without a system call, open to every process" },
	{ "l2c=core", offsetof(struct apple_options, l2c_cluster), false,
	  "L2C events count what the core did (default)" },
	{ "l2c=cluster", offsetof(struct apple_options, l2c_cluster), true,
	  "L2C events count what its whole cluster did" },
};

static int parse_one(const char *option, struct apple_options *options, struct err *err)
{
	struct text text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcmp(option, table[i].text) == 0) {
			*(bool *)((char *)options + table[i].field) = table[i].value;
			return 0;
		}
	text_printf(&text, "apple has no option \"%s\"; its options are ", option);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		text_printf(&text, "%s%s (%s)", i ? ", " : "", table[i].text, table[i].what);
	return text_to_err(&text, EINVAL, err);
}

int apple_options_parse(const char *text, struct apple_options *ret, struct err *err)
{
	struct apple_options options = { 0 };
	AUTO_FREE char *copy = strdup(text ? text : "");
	char *rest = copy, *item;
	int rc = 0;

	if (!copy)
		return err_set(err, ENOMEM, "out of memory");
	while (!rc && text && text[0] && (item = strsep(&rest, ",")))
		rc = parse_one(item, &options, err);
	if (!rc)
		*ret = options;
	return rc;
}

enum { IMPLEMENTER_APPLE = 0x61 };

/* Cores of one type, as described by the module. */
struct kind {
	struct m1pmu_cpu like; /* one of them */
	struct cpus cpus;
};

struct kinds {
	struct kind list[TYPES_MAX];
	unsigned n;
};

/* PMU names of the kernel's driver, so that -e apple_firestorm_pmu/…/ works here, too. Source:
 * Linux drivers/perf/apple_m1_cpu_pmu.c; M3: downstream kernels. */
static const struct name {
	const char *family;
	uint8_t type;
	const char *pmu;
} names[] = {
	{ "M1", 'E', "apple_icestorm_pmu" }, { "M1", 'P', "apple_firestorm_pmu" },
	{ "M2", 'E', "apple_blizzard_pmu" }, { "M2", 'P', "apple_avalanche_pmu" },
	{ "M3", 'E', "apple_sawtooth_pmu" }, { "M3", 'P', "apple_everest_pmu" },
};

/* Name a PMU; one without a name above is named after its family, in a form that sysfs_machine
 * recognises as E or P. */
static void name_pmu(const struct m1pmu_cpu *like, char *buf, size_t size)
{
	snprintf(buf, size, "apple_%.11s_%c_pmu", like->family, like->type);
	for (char *at = buf; *at; at++)
		*at = ascii_lower(*at);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == like->type && strcmp(names[i].family, like->family) == 0)
			snprintf(buf, size, "%s", names[i].pmu);
}

static int add_to_kind(struct kinds *kinds, const struct m1pmu_cpu *cpu, struct err *err)
{
	unsigned i = 0;

	while (i < kinds->n && (kinds->list[i].like.type != cpu->type ||
				strcmp(kinds->list[i].like.family, cpu->family) != 0))
		i++;
	if (i == TYPES_MAX)
		return err_set(err, EINVAL, "more than %d kinds of core", TYPES_MAX);
	if (i == kinds->n)
		kinds->list[kinds->n++].like = *cpu;
	cpus_add(&kinds->list[i].cpus, cpu->cpu);
	return 0;
}

/* Whether this machine is Apple's, by the MIDR of its first online CPU. */
static bool apple_is_here(const struct backend_config *config)
{
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	uint64_t midr = 0;
	struct cpus online;

	if (sysfs_online(root, &online, NULL))
		return false;
	cpus_each(&online, cpu)
		if (!midr)
			sysfs_cpu_number(root, (unsigned)cpu, SYSFS_MIDR, &midr, NULL);
	return midr >> 24 == IMPLEMENTER_APPLE;
}

/* Group the CPUs by type; one that was never online has no type yet and is left out. */
static int find_kinds(const struct apple *apple, const struct m1pmu_info *info, const char *root,
		      struct kinds *kinds, struct err *err)
{
	for (unsigned i = 0; i < info->n_cpus && i < CPUS_MAX; i++) {
		struct m1pmu_cpu cpu = { .cpu = i };
		int rc = apple->io->request(apple->fd, M1PMU_CPU, &cpu);

		if (rc == -EINVAL) /* gap in the CPU numbers */
			continue;
		if (rc)
			return err_set(err, -rc, "m1pmu does not describe CPU %u: %s", i,
				       strerror(-rc));
		if (!cpu.type)
			continue;

		/* the kernel's MIDR if known, as everything else here uses it; parts of P cores are
		 * odd. Source: AsahiLinux docs and Linux arch/arm64/include/asm/cputype.h */
		uint64_t midr = cpu.midr;

		sysfs_cpu_number(root, i, SYSFS_MIDR, &midr, NULL);
		cpu.type = midr & 0x10 ? 'P' : 'E';
		rc = add_to_kind(kinds, &cpu, err);
		if (rc)
			return rc;
	}
	return kinds->n ? 0 : err_set(err, ENODEV, "m1pmu knows none of these cores");
}

static int make_pmus(const struct kinds *kinds, struct pmus *pmus, struct err *err)
{
	int rc = 0;

	pmus->pmu = calloc(kinds->n + 1, sizeof(*pmus->pmu));
	if (!pmus->pmu)
		return err_set(err, ENOMEM, "out of memory");
	pmus->n = kinds->n;
	for (unsigned i = 0; i < kinds->n && !rc; i++) {
		const struct kind *kind = &kinds->list[i];
		char name[sizeof(pmus->pmu[i].name)];

		name_pmu(&kind->like, name, sizeof(name));
		pmus->pmu[i].cpus = kind->cpus;
		rc = pmu_make_apple(&pmus->pmu[i], name, i, kind->like.event_bits);
	}
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

static void describe_types(struct machine *machine, const struct kinds *kinds)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		struct core_type *type = &machine->type[t];

		type->width = 64;
		if (!type->pmu)
			continue;
		type->n_counters = kinds->list[type->pmu->type].like.n_counters;
		type->width = kinds->list[type->pmu->type].like.width;
		type->slot_is_counter = true;
	}
}

/*
 * Fill base.machine: cores and their types from the module, topology from sysfs.
 *
 * @return 0; -ENODEV if the module knows none of the cores; errors of sysfs_machine and the
 *         catalogues
 */
static int apple_machine_make(struct apple *apple, const struct m1pmu_info *info,
			      const struct backend_config *config, struct err *err)
{
	struct machine *machine = &apple->base.machine;
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	struct kinds kinds = { 0 };
	int rc = find_kinds(apple, info, root, &kinds, err);

	if (!rc)
		rc = make_pmus(&kinds, &machine->pmus, err);
	if (!rc)
		rc = backend_find_machine(config, machine, err);
	if (!rc)
		describe_types(machine, &kinds);
	return rc;
}

/* ---- explanations of failures ---- */

static int cannot_open(int code, const struct backend_config *config, struct err *err)
{
	char self[512];

	file_self(self, sizeof(self));
	switch (code) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return err_set(err, ENODEV, "%s",
			       apple_is_here(config)
				       ? "no " M1PMU_DEVICE
					 ": the kernel module m1pmu is not loaded "
					 "(sudo modprobe m1pmu)"
				       : "only for Apple silicon, which this machine is not");
	case EACCES:
		return err_set(err, code,
			       M1PMU_DEVICE ": %s: sudo %s, or a udev rule that opens it to "
					    "you, and cap_perfmon (docs/apple.md)",
			       strerror(code), self);
	case EPERM:
		return err_set(err, code,
			       M1PMU_DEVICE ": %s. One of these fixes it:\n"
					    "  sudo %s\n"
					    "  sudo setcap cap_perfmon+ep %s",
			       strerror(code), self, self);
	default: return err_set(err, ENODEV, M1PMU_DEVICE ": %s", strerror(code));
	}
}

static const char *owner_text(int pid, char *buf, size_t size)
{
	char digits[16], name[32];

	snprintf(digits, sizeof(digits), "%d", pid);
	if (pid <= 0)
		snprintf(buf, size, "a process that is not visible from here");
	else if (sysfs_process_name(digits, name, sizeof(name)) < 0)
		snprintf(buf, size, "process %d", pid);
	else
		snprintf(buf, size, "%s (%d)", name, pid);
	return buf;
}

static int is_owned(const struct m1pmu_info *info, struct err *err)
{
	char owner[64];

	return err_set(
		err, EBUSY,
		"the PMU is in use by %s: m1pmu serves one process at a time; end that one first",
		owner_text(info->owner_pid, owner, sizeof(owner)));
}

static int has_driver(int code, struct err *err)
{
	return err_set(err, code,
		       "the kernel's own Apple driver owns the PMU and cannot be unbound: use "
		       "--backend perf, or boot with initcall_blacklist=m1_pmu_driver_init");
}

static int get_info(const struct apple_io *io, int fd, struct m1pmu_info *ret, struct err *err)
{
	int rc = io->request(fd, M1PMU_INFO, ret);

	if (rc == -ENOTTY || (!rc && ret->abi != M1PMU_ABI))
		return err_set(err, ENODEV,
			       "the module m1pmu has another version than this m1top: build and "
			       "load the one that came with it");
	if (rc)
		return err_set(err, ENODEV, M1PMU_DEVICE ": %s", strerror(-rc));
	if (!(ret->flags & M1PMU_APPLE))
		return err_set(err, ENODEV,
			       "m1pmu is loaded, but has no PMU: it does not know these cores, or "
			       "this is a virtual machine that keeps it (dmesg | grep m1pmu)");
	return 0;
}

int apple_probe(const struct apple_io *io, const struct backend_config *config, struct err *err)
{
	struct m1pmu_info info = { 0 };
	int fd = io->open();

	if (fd < 0)
		return cannot_open(-fd, config, err);

	int rc = get_info(io, fd, &info, err);

	io->close(fd);
	if (rc)
		return rc;
	if (info.flags & M1PMU_DRIVER)
		return has_driver(ENODEV, err);
	return info.flags & M1PMU_OWNED ? is_owned(&info, err) : 0;
}

/* ---- ownership ---- */

static int not_acquired(const struct apple *apple, int code, struct err *err)
{
	struct m1pmu_info info = { 0 };
	int rc = get_info(apple->io, apple->fd, &info, err);

	if (rc)
		return rc;
	if (info.flags & M1PMU_DRIVER)
		return has_driver(EBUSY, err);
	if (code == EBUSY)
		return is_owned(&info, err);
	return err_set(err, code, "the PMU is not available: %s", strerror(code));
}

static int switch_on(const struct apple *apple, unsigned long request, const char *what,
		     struct err *err)
{
	uint32_t on = 1;
	int rc = apple->io->request(apple->fd, request, &on);

	if (rc == -EPERM)
		return err_set(err, EPERM,
			       "m1pmu refuses %s: that takes CAP_SYS_RAWIO (sudo m1top), or the "
			       "module loaded with el0=1 (docs/apple.md)",
			       what);
	return rc ? err_set(err, -rc, "m1pmu refused %s: %s", what, strerror(-rc)) : 0;
}

/* Acquire the PMU. Not done when the backend is opened, so that commands that only list events do
 * not block others. */
static int apple_acquire(struct apple *apple, struct err *err)
{
	if (apple->is_owner)
		return 0;

	int rc = apple->io->request(apple->fd, M1PMU_ACQUIRE, NULL);

	if (rc)
		return not_acquired(apple, -rc, err);
	if (apple->options.l2c_cluster)
		rc = switch_on(apple, M1PMU_L2C, "l2c=cluster", err);
	if (!rc && apple->options.el0)
		rc = switch_on(apple, M1PMU_EL0, "el0", err);
	if (rc)
		apple->io->request(apple->fd, M1PMU_RELEASE, NULL);
	apple->is_owner = !rc;
	return rc;
}

/* ---- opening and closing ---- */

static int apple_make(struct apple *apple, const struct backend_config *config, struct err *err)
{
	struct m1pmu_info info = { 0 };
	int rc = apple_options_parse(config->options, &apple->options, err);

	if (rc)
		return rc;
	apple->fd = apple->io->open();
	if (apple->fd < 0)
		return cannot_open(-apple->fd, config, err);
	rc = get_info(apple->io, apple->fd, &info, err);
	if (rc)
		return rc;
	apple->gen = apple->io->map(apple->fd, info.gen_bytes);
	apple->gen_bytes = info.gen_bytes;
	if (!apple->gen)
		return err_set(err, ENOMEM, M1PMU_DEVICE ": cannot be mapped");
	rc = apple_machine_make(apple, &info, config, err);
	if (rc || !apple->options.el0)
		return rc;
	err_set(&apple->base.note, 0,
		"apple:el0: while m1top counts, every process can read and write the PMU");
	rc = apple->io->el0_begin(err);
	apple->has_sigill = !rc;
	return rc;
}

/* Close the backend; closing the descriptor makes the module restore all registers. */
static void apple_close(struct backend *backend)
{
	struct apple *apple = (struct apple *)backend;

	if (apple->gen)
		apple->io->unmap(apple->gen, apple->gen_bytes);
	if (apple->fd >= 0)
		apple->io->close(apple->fd);
	if (apple->has_sigill)
		apple->io->el0_end();
	machine_fini(&apple->base.machine);
	free(apple);
}

int apple_open(const struct apple_io *io, const struct backend_config *config, struct backend **ret,
	       struct err *err)
{
	struct apple *apple = calloc(1, sizeof(*apple));

	if (!apple)
		return err_set(err, ENOMEM, "out of memory");
	apple->base.ops = &backend_apple;
	apple->base.pins = true;
	apple->io = io;
	apple->fd = -1;

	int rc = apple_make(apple, config, err);

	if (rc)
		apple_close(&apple->base);
	else
		*ret = &apple->base;
	return rc;
}

/* ---- faults ---- */

enum { CPU_BITS = 16 };

static const char *const register_name[] = {
	[FAULT_PMCR0] = "PMCR0",
	[FAULT_PMCR1] = "PMCR1",
	[FAULT_PMESR0] = "PMESR0",
	[FAULT_PMESR1] = "PMESR1",
};

/* Store a fault for the main thread; a newer one replaces it. Any thread. */
static void apple_report_fault(struct apple *apple, enum apple_fault what, unsigned cpu)
{
	/* relaxed: the number is the whole message */
	if (what == FAULT_ENDED)
		atomic_store_explicit(&apple->has_ended, true, memory_order_relaxed);
	atomic_store_explicit(&apple->faults, (uint32_t)what << CPU_BITS | cpu,
			      memory_order_relaxed);
}

static const char *apple_faults(struct backend *backend, char *buf, size_t size)
{
	struct apple *apple = (struct apple *)backend;
	uint32_t faults = atomic_exchange_explicit(&apple->faults, 0, memory_order_relaxed);
	unsigned what = faults >> CPU_BITS, cpu = faults & ((1U << CPU_BITS) - 1);

	buf[0] = '\0';
	if (atomic_load_explicit(&apple->has_ended, memory_order_relaxed))
		err_set(&backend->ended, EIO, "%s",
			apple->options.el0
				? "counting was stopped: a process enabled interrupts of the PMU, "
				  "which apple:el0 opens to every process, or the kernel's own "
				  "driver took the PMU; the kernel log says which (--backend apple "
				  "without el0 never opens the registers)"
				: "counting was stopped: the kernel's own driver took the PMU, or "
				  "the machine goes down; the kernel log says which");
	else if (what == FAULT_EL0)
		snprintf(buf, size,
			 "cpu %u: user access to the counters was taken away: counts since then "
			 "are lost",
			 cpu);
	else if (what == FAULT_REFUSED)
		snprintf(buf, size,
			 "cpu %u: m1pmu refused the set: one of its events cannot be "
			 "counted on the counter it was placed on",
			 cpu);
	else if (what)
		snprintf(buf, size,
			 "cpu %u: %s is not as m1top wrote it: another program wrote it or the "
			 "core lost its state; counts since then are lost, counting restarts",
			 cpu, register_name[what]);
	return buf;
}

/* Result of one read. */
struct apple_reading {
	unsigned cpu;           /* CPU that was read: another one if the thread was moved */
	uint32_t losses;        /* see apple_losses */
	bool is_changed;        /* the values are not counts of what was programmed */
	enum apple_fault fault; /* reason, if the user must know it; 0 */
	uint64_t t_ns;
	uint64_t pmc[M1PMU_N_COUNTERS];
};

/*
 * Count how often a CPU's registers were lost, other than by idle, which restores the counters
 * exactly. Values with different numbers of losses are not comparable.
 */
static uint32_t apple_losses(const struct apple *apple, unsigned cpu)
{
	const struct m1pmu_gen *gen = &apple->gen[cpu];
	uint32_t generation, idle;

	/* acquire: counters that are read later are no older. Read twice, as the core may sleep
	 * between both loads. */
	do {
		generation = __atomic_load_n(&gen->generation, __ATOMIC_ACQUIRE);
		idle = __atomic_load_n(&gen->idle, __ATOMIC_ACQUIRE);
	} while (generation != __atomic_load_n(&gen->generation, __ATOMIC_ACQUIRE));
	return generation - idle;
}

static int read_module(const struct apple *apple, struct apple_reading *ret)
{
	struct m1pmu_read values;
	int rc = apple->io->request(apple->fd, M1PMU_READ, &values);

	if (rc)
		return rc;
	ret->cpu = values.cpu;
	ret->losses = values.generation - values.idle;
	ret->is_changed = values.flags & M1PMU_CHANGED;
	ret->fault = ret->is_changed ? FAULT_PMCR0 : 0;
	ret->t_ns = values.time_ns;
	memcpy(ret->pmc, values.pmc, sizeof(ret->pmc));
	return 0;
}

/* Read from EL0. The thread may be moved, and the registers lost and restored, at any time in between. */
static int read_el0(const struct apple *apple, unsigned cpu, struct apple_reading *ret)
{
	const struct apple_io *io = apple->io;
	int before = io->cpu();

	ret->losses = apple_losses(apple, cpu);
	ret->t_ns = io->now_ns();
	ret->fault = io->el0_counters(ret->pmc) ? 0 : FAULT_EL0;

	int after = io->cpu();

	ret->cpu = (unsigned)(before == (int)cpu ? after : before);
	ret->is_changed = ret->fault || apple_losses(apple, cpu) != ret->losses;
	return 0;
}

/*
 * Read the counters of the calling thread's CPU. That CPU's thread.
 *
 * @cpu     the expected CPU
 * @return  0; -ENODEV the CPU is going offline; other -errno
 */
static int apple_read(const struct apple *apple, unsigned cpu, struct apple_reading *ret)
{
	return apple->options.el0 ? read_el0(apple, cpu, ret) : read_module(apple, ret);
}

/* Read back the control registers. @return false if that is impossible now */
static bool apple_controls(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	uint64_t value[N_APPLE_CONTROLS];
	struct m1pmu_regs regs;

	if (!apple->options.el0) {
		bool is_read = !apple->io->request(apple->fd, M1PMU_REGS, &regs) && regs.cpu == cpu;

		if (is_read)
			*ret = regs.now;
		return is_read;
	}
	if (!apple->io->el0_controls(value) || apple->io->cpu() != (int)cpu)
		return false;
	*ret = (struct m1pmu_control){
		.pmcr0 = value[APPLE_PMCR0],
		.pmcr1 = value[APPLE_PMCR1],
		.pmesr0 = value[APPLE_PMESR0],
		.pmesr1 = value[APPLE_PMESR1],
	};
	return true;
}

#define CONTROLS_EVERY_NS NS_PER_S

struct group {
	struct apple *apple;
	unsigned cpu;
	unsigned n_slots;         /* 0: the PMU is left to others */
	bool holds;               /* one of the groups that hold the PMU */
	uint8_t state[SLOTS_MAX]; /* by slot, without faults */
	uint8_t counter[SLOTS_MAX];
	struct m1pmu_program program;
	struct m1pmu_control written; /* expected values of the control registers */
	uint64_t enabled_at_ns;
	uint64_t checked_at_ns;         /* time of the last read-back of the control registers */
	uint32_t losses;                /* see apple_losses */
	struct activity_core *activity; /* NULL: no such event is requested */
};

/* ---- opening: the program ---- */

static bool is_legal(const struct group *group, const struct event *event, unsigned counter)
{
	/* 0 is any counter; PMC0 and PMC1 take only their own events */
	if (!event->counters || (group->apple->base.is_probing && counter >= 2))
		return counter >= 2;
	return event->counters >> counter & 1;
}

static int plan_slot(struct group *group, const struct placement *place, unsigned slot,
		     const struct pmu *pmu, struct err *err)
{
	const struct event *event = place->event[slot];
	unsigned counter = place->counter[slot];
	char legal[64];

	if (!event)
		return 0;
	group->state[slot] = RAW_UNSUPPORTED;
	if (event->refused[0] || event->pmu != pmu)
		return 0;
	if (counter >= M1PMU_N_COUNTERS || !is_legal(group, event, counter))
		return err_set(err, EINVAL, "%s cannot count on PMC%u: it is legal on %s",
			       event->name, counter,
			       counters_text(event->counters, legal, sizeof(legal)));
	if (group->program.enable >> counter & 1)
		return err_set(err, ENOSPC, "%s: PMC%u is taken by another event of the set",
			       event->name, counter);
	group->state[slot] = RAW_OK;
	group->counter[slot] = (uint8_t)counter;
	group->program.enable |= 1U << counter;
	group->program.filter[counter] = (event->privilege != PRIVILEGE_KERNEL ? M1PMU_USER : 0) |
					 (event->privilege != PRIVILEGE_USER ? M1PMU_KERNEL : 0);
	if (counter < 2)
		return 0;
	group->program.event[counter] = (uint16_t)event->config[0];
	/* the module rejects ids outside its lists unless forced */
	if (!event->known || event->is_forced || group->apple->base.is_probing)
		group->program.flags = M1PMU_FORCE;
	return 0;
}

static int plan_program(struct group *group, const struct set *set, const struct machine *machine,
			unsigned type, struct err *err)
{
	int rc = 0;

	group->n_slots = set->n_slots;
	group->program.cpu = group->cpu;
	for (unsigned slot = 0; slot < set->n_slots && !rc; slot++)
		rc = plan_slot(group, &set->type[type], slot, machine->type[type].pmu, err);
	return rc;
}

/* Check the CPU. The module has no masks for the newest chips: there only the catalogue decides. */
static int ask_cpu(struct group *group, struct err *err)
{
	struct m1pmu_cpu cpu = { .cpu = group->cpu };
	int rc = group->apple->io->request(group->apple->fd, M1PMU_CPU, &cpu);

	if (rc)
		return err_set(err, -rc, "m1pmu does not describe CPU %u: %s", group->cpu,
			       strerror(-rc));
	if (!(cpu.flags & M1PMU_CPU_ONLINE))
		return err_set(err, ENODEV, "CPU %u is offline", group->cpu);
	if (!(cpu.flags & M1PMU_CPU_MASKS))
		group->program.flags = M1PMU_FORCE;
	return 0;
}

/* Close a group without touching registers, unless it is the last one: the core may already count
 * another one. */
static void apple_group_close(struct group *group)
{
	if (!group)
		return;
	if (group->holds && !--group->apple->n_counting) { /* the module restores all registers */
		group->apple->io->request(group->apple->fd, M1PMU_RELEASE, NULL);
		group->apple->is_owner = false;
	}
	activity_core_close(group->activity);
	free(group);
}

static int apple_group_open(struct backend *backend, unsigned core, const struct set *set,
			    struct group **ret, struct err *err)
{
	const struct core *on = &backend->machine.core[core];
	const struct activity_slots slots = placement_activity(&set->type[on->type], set->by_task);
	struct group *group = calloc(1, sizeof(*group));

	if (!group)
		return err_set(err, ENOMEM, "out of memory");
	group->apple = (struct apple *)backend;
	group->cpu = on->cpu;

	int rc = plan_program(group, set, &backend->machine, on->type, err);

	if (!rc && group->n_slots) {
		rc = apple_acquire(group->apple, err);
		group->holds = !rc;
		group->apple->n_counting += !rc;
	}
	if (!rc)
		rc = ask_cpu(group, err);
	if (!rc)
		rc = activity_core_open(&backend->machine, core, &slots, &group->activity, err);
	if (rc)
		apple_group_close(group);
	else
		*ret = group;
	return rc;
}

/* ---- counting ---- */

static int apple_program(struct group *group)
{
	struct m1pmu_program copy = group->program;
	struct m1pmu_regs regs = { 0 };
	int rc = group->apple->io->request(group->apple->fd, M1PMU_PROGRAM, &copy);

	if (rc == -ECANCELED)
		apple_report_fault(group->apple, FAULT_ENDED, group->cpu);
	if (rc == -EINVAL || rc == -ERANGE)
		apple_report_fault(group->apple, FAULT_REFUSED, group->cpu);
	if (!rc)
		rc = group->apple->io->request(group->apple->fd, M1PMU_REGS, &regs);
	if (!rc && regs.cpu != group->cpu) /* moved away: the core is going offline */
		rc = -ENODEV;
	if (!rc)
		group->written = regs.written;
	return rc;
}

static int apple_group_enable(struct group *group)
{
	int rc = group->n_slots ? apple_program(group) : 0;

	activity_core_enable(group->activity);
	group->losses = apple_losses(group->apple, group->cpu);
	group->enabled_at_ns = group->checked_at_ns = group->apple->io->now_ns();
	return rc;
}

static int apple_group_disable(struct group *group)
{
	struct m1pmu_program stop = { .cpu = group->cpu };

	activity_core_disable(group->activity);
	if (!group->n_slots)
		return 0;
	return group->apple->io->request(group->apple->fd, M1PMU_PROGRAM, &stop);
}

/* ---- reading ---- */

/* @return the first register that differs from the written value; 0: none, or unreadable */
static int foreign_write(const struct group *group)
{
	const struct m1pmu_control *was = &group->written;
	struct m1pmu_control now;

	if (!apple_controls(group->apple, group->cpu, &now))
		return 0;
	/* the module acknowledges an active interrupt, but EL0 reads may see it earlier */
	if ((now.pmcr0 ^ was->pmcr0) & ~APPLE_PMCR0_ACTIVE)
		return FAULT_PMCR0;
	if (now.pmcr1 != was->pmcr1)
		return FAULT_PMCR1;
	if (now.pmesr0 != was->pmesr0)
		return FAULT_PMESR0;
	return now.pmesr1 != was->pmesr1 ? FAULT_PMESR1 : 0;
}

static bool controls_hold(struct group *group, uint64_t now_ns)
{
	if (now_ns - group->checked_at_ns < CONTROLS_EVERY_NS)
		return true;
	group->checked_at_ns = now_ns;

	int what = foreign_write(group);

	if (what)
		apple_report_fault(group->apple, (enum apple_fault)what, group->cpu);
	return !what;
}

/* Program the core again and read the counters' new start values. */
static bool restart(struct group *group, struct apple_reading *ret)
{
	if (apple_program(group) || apple_read(group->apple, group->cpu, ret) ||
	    ret->cpu != group->cpu || ret->is_changed)
		return false;
	group->losses = ret->losses;
	return true;
}

/* Read and rate the values. @return 0; -ENODEV the core has gone */
static int group_judge(struct group *group, struct apple_reading *now, enum raw_state *ret)
{
	int rc = apple_read(group->apple, group->cpu, now);

	if (rc == -ENODEV)
		return rc;
	*ret = RAW_LOST;
	if (rc || now->cpu != group->cpu) /* on another CPU nothing may be changed */
		return 0;
	if (now->fault)
		apple_report_fault(group->apple, now->fault, group->cpu);
	if (!now->is_changed && now->losses == group->losses && controls_hold(group, now->t_ns))
		*ret = RAW_OK;
	else
		*ret = restart(group, now) ? RAW_RESTARTED : RAW_LOST;
	return 0;
}

static int apple_group_read(struct group *group, struct sample *ret)
{
	struct apple_reading now = { 0 };
	enum raw_state state;

	if (!group->n_slots) {
		ret->n_slots = 0;
		return 0;
	}

	int rc = group_judge(group, &now, &state);

	if (rc)
		return rc;
	if (state != RAW_LOST)
		ret->t_ns = now.t_ns;

	/* an enabled counter always runs, as the PMU is not shared */
	uint64_t ran_ns = now.t_ns - group->enabled_at_ns;

	ret->n_slots = (uint8_t)group->n_slots;
	for (unsigned slot = 0; slot < group->n_slots; slot++) {
		bool counts = group->state[slot] == RAW_OK;

		ret->state[slot] = counts ? (uint8_t)state : group->state[slot];
		ret->raw[slot] = (struct raw){ 0 };
		if (counts && state != RAW_LOST)
			ret->raw[slot] =
				(struct raw){ now.pmc[group->counter[slot]], ran_ns, ran_ns, 0 };
	}
	activity_core_read(group->activity, ret->t_ns - group->enabled_at_ns, ret);
	return 0;
}

/* ---- this machine ---- */

static int open_device(void)
{
	int fd = open(M1PMU_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_device(int fd)
{
	close(fd);
}

static int request(int fd, unsigned long number, void *arg)
{
	return ioctl(fd, number, arg) < 0 ? -errno : 0;
}

static const void *map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap(const void *at, size_t size)
{
	munmap((void *)at, size);
}

static const struct apple_io this_machine = {
	.open = open_device,
	.close = close_device,
	.request = request,
	.map = map,
	.unmap = unmap,
	.cpu = sched_getcpu,
	.now_ns = clock_now_ns,
	.el0_begin = apple_el0_begin,
	.el0_end = apple_el0_end,
	.el0_counters = apple_el0_counters,
	.el0_controls = apple_el0_controls,
};

static int probe_here(const struct backend_config *config, struct err *err)
{
	return apple_probe(&this_machine, config, err);
}

static int open_here(const struct backend_config *config, struct backend **ret, struct err *err)
{
	return apple_open(&this_machine, config, ret, err);
}

static const char *holders(struct backend *backend, char *buf, size_t size)
{
	const struct apple *apple = (struct apple *)backend;
	struct m1pmu_info info = { 0 };

	buf[0] = '\0';
	if (!get_info(apple->io, apple->fd, &info, NULL) && (info.flags & M1PMU_OWNED) &&
	    !(info.flags & M1PMU_MINE))
		owner_text(info.owner_pid, buf, size);
	return buf;
}

const struct backend_ops backend_apple = {
	.name = "apple",
	.what = "the registers of an Apple PMU, through the kernel module m1pmu",
	.probe = probe_here,
	.open = open_here,
	.close = apple_close,
	.group_open = apple_group_open,
	.group_close = apple_group_close,
	.group_enable = apple_group_enable,
	.group_disable = apple_group_disable,
	.group_read = apple_group_read,
	.holders = holders,
	.faults = apple_faults,
};
