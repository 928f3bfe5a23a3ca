#include "pmu/apple/apple.h"

#include <ctype.h>
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

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
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

static int unknown(const char *option, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "apple has no option \"%s\"; its options are ", option);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		text_printf(&text, "%s%s (%s)", i ? ", " : "", table[i].text, table[i].what);
	return text_to_err(&text, EINVAL, err);
}

static int parse_one(const char *text, struct apple_options *options, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(text, table[i].text) == 0) {
			*(bool *)((char *)options + table[i].field) = table[i].value;
			return 0;
		}
	}
	return unknown(text, err);
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
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].type == like->type && strcmp(names[i].family, like->family) == 0) {
			snprintf(buf, size, "%s", names[i].pmu);
			return;
		}
	}
	snprintf(buf, size, "apple_%.11s_%c_pmu", like->family, like->type);
	for (char *at = buf; *at; at++)
		*at = (char)tolower((unsigned char)*at);
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
	cpus_each(&online, cpu) {
		if (!midr)
			sysfs_cpu_number(root, (unsigned)cpu, SYSFS_MIDR, &midr, NULL);
	}
	return midr >> 24 == IMPLEMENTER_APPLE;
}

/* Return E or P, by the kernel's MIDR if known, as everything else here uses it. Parts of P cores
 * are odd.
 * Source: AsahiLinux docs and Linux arch/arm64/include/asm/cputype.h */
static uint8_t apple_type_of(const char *root, const struct m1pmu_cpu *cpu)
{
	uint64_t midr = cpu->midr;

	sysfs_cpu_number(root, cpu->cpu, SYSFS_MIDR, &midr, NULL);
	return midr & 0x10 ? 'P' : 'E';
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
		cpu.type = apple_type_of(root, &cpu);
		rc = add_to_kind(kinds, &cpu, err);
		if (rc)
			return rc;
	}
	return kinds->n ? 0 : err_set(err, ENODEV, "m1pmu knows none of these cores");
}

static int make_pmu(const struct kind *kind, unsigned number, struct pmu *pmu)
{
	char name[sizeof(pmu->name)];

	name_pmu(&kind->like, name, sizeof(name));
	pmu->cpus = kind->cpus;
	return pmu_make_apple(pmu, name, number, kind->like.event_bits);
}

static int make_pmus(const struct kinds *kinds, struct pmus *pmus, struct err *err)
{
	int rc = 0;

	pmus->pmu = calloc(kinds->n + 1, sizeof(*pmus->pmu));
	if (!pmus->pmu)
		return err_set(err, ENOMEM, "out of memory");
	pmus->n = kinds->n;
	for (unsigned i = 0; i < kinds->n && !rc; i++)
		rc = make_pmu(&kinds->list[i], i, &pmus->pmu[i]);
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

static int no_device(const struct backend_config *config, struct err *err)
{
	if (!apple_is_here(config))
		return err_set(err, ENODEV, "only for Apple silicon, which this machine is not");
	return err_set(err, ENODEV,
		       "no " M1PMU_DEVICE ": the kernel module m1pmu is not "
		       "loaded (sudo modprobe m1pmu)");
}

static int cannot_open(int code, const struct backend_config *config, struct err *err)
{
	char self[512];

	file_self(self, sizeof(self));
	switch (code) {
	case ENOENT:
	case ENXIO:
	case ENODEV: return no_device(config, err);
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
int apple_acquire(struct apple *apple, struct err *err)
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

void apple_release(struct apple *apple)
{
	if (!apple->is_owner)
		return;
	apple->io->request(apple->fd, M1PMU_RELEASE, NULL);
	apple->is_owner = false;
}

/* ---- opening and closing ---- */

static int begin_el0(struct apple *apple, struct err *err)
{
	int rc = apple->io->el0_begin(err);

	apple->has_sigill = !rc;
	err_set(&apple->base.note, 0,
		"apple:el0: while m1top counts, every process can read and write the PMU");
	return rc;
}

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
	return rc || !apple->options.el0 ? rc : begin_el0(apple, err);
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

	if (rc) {
		apple_close(&apple->base);
		return rc;
	}
	*ret = &apple->base;
	return 0;
}

/* ---- faults ---- */

enum { CPU_BITS = 16 };

static const char *const register_name[] = {
	[FAULT_PMCR0] = "PMCR0",
	[FAULT_PMCR1] = "PMCR1",
	[FAULT_PMESR0] = "PMESR0",
	[FAULT_PMESR1] = "PMESR1",
};

void apple_report_fault(struct apple *apple, enum apple_fault what, unsigned cpu)
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
