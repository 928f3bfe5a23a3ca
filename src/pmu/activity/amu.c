/* amu.c: Arm's activity monitors (FEAT_AMUv1), read through the module m1pmu, as only the kernel
 * may read them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "pmu/activity/path.h"
#include "kmod/m1pmu_abi.h"

#define LOAD_LINE "sudo modprobe m1pmu amu=1"
#define HAZARD                                                                                 \
	" (where firmware has not enabled the monitors, but traps them to EL3, that can hang " \
	"the machine)"

enum { FIXED = 4, AUX_ENABLED_SHIFT = 16, MODULES_DEP_MAX = 8 << 20 };

/* ---- access to this machine ---- */

static int info(int fd, struct m1pmu_info *ret)
{
	return ioctl(fd, M1PMU_INFO, ret) ? -errno : 0;
}

/* Open the module and keep a descriptor, as it may not be opened again without rights. One thread
 * at a time. */
static int open_module(void)
{
	static int kept = -1;
	struct m1pmu_info about = { 0 };
	int fd = kept >= 0 ? fcntl(kept, F_DUPFD_CLOEXEC, 0)
			   : open(M1PMU_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (kept < 0 && !info(fd, &about) && about.flags & M1PMU_AMU)
		kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd;
}

static int read_amu(int fd, struct m1pmu_amu *ret)
{
	return ioctl(fd, M1PMU_AMU_READ, ret) ? -errno : 0;
}

static int read_amu_on(int fd, unsigned cpu, struct m1pmu_amu *ret)
{
	struct cpus before;
	int rc = cpus_get_affinity(&before);

	if (!rc)
		rc = cpus_pin(cpu);
	if (rc)
		return rc;
	rc = read_amu(fd, ret);
	cpus_set_affinity(&before);
	return rc;
}

/* Read the counter's rate, which every program may: Linux arch/arm64/kernel/traps.c, cntfrq_read_handler */
static uint64_t counter_hz(void)
{
	uint64_t hz = 0;

#ifdef __aarch64__
	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	hz &= UINT32_MAX;
#endif
	return hz;
}

const struct activity_io activity_io = {
	.pread = pread,
	.open_module = open_module,
	.info = info,
	.read_amu = read_amu,
	.read_amu_on = read_amu_on,
	.counter_hz = counter_hz,
};

/* ---- availability ---- */

/* Whether modprobe can load the module into this kernel. */
static bool is_installed(const char *root)
{
	struct utsname kernel;
	char path[PATH_MAX];
	AUTO_FREE char *list = NULL;
	size_t n;

	uname(&kernel);
	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root, kernel.release);
	return !file_read(path, MODULES_DEP_MAX, &list, &n) && strstr(list, "/m1pmu.ko");
}

/* Explain a missing module; text behind a semicolon is only for doctor. */
static int not_loaded(const struct activity_place *place, struct err *err)
{
	if (!place->io->counter_hz())
		return err_set(err, ENODEV, "only arm64 processors have activity monitors");
	if (!is_installed(place->root))
		return err_set(err, ENODEV, "the kernel module m1pmu is not installed");
	return err_set(err, ENODEV, "the kernel module m1pmu is not loaded; " LOAD_LINE HAZARD);
}

static int cannot_open(const struct activity_place *place, int code, struct err *err)
{
	char self[512];

	file_self(self, sizeof(self));
	if (code == EACCES)
		return err_set(err, code,
			       M1PMU_DEVICE ": %s: sudo %s, or a udev rule that opens it to "
					    "you, and cap_perfmon (docs/apple.md)",
			       strerror(code), self);
	if (code == EPERM)
		return err_set(err, code,
			       M1PMU_DEVICE ": %s: sudo %s, or sudo setcap cap_perfmon+ep %s",
			       strerror(code), self, self);
	return not_loaded(place, err);
}

static int check_module(const struct activity_place *place, int fd, struct err *err)
{
	struct m1pmu_info about = { 0 };
	int rc = place->io->info(fd, &about);

	if (rc || about.abi != M1PMU_ABI)
		return err_set(err, EPROTO,
			       "the module m1pmu has another version than this m1top: build and "
			       "load the one that came with it");
	if (!(about.flags & M1PMU_AMU))
		return err_set(err, ENODEV, "the module m1pmu is not loaded with amu=1%s",
			       is_installed(place->root) ? "; sudo rmmod m1pmu && " LOAD_LINE HAZARD
							 : "");
	return 0;
}

bool activity_knows_no_el3(const struct activity_io *io)
{
	struct m1pmu_info about = { 0 };
	AUTO_FD int fd = io->open_module();

	return fd >= 0 && !io->info(fd, &about) && about.flags & M1PMU_NO_EL3;
}

/* Whether the constant counter has a wrong rate: Cortex-A510 r0p0 to r1p1.
 * Source: Linux arch/arm64/kernel/cpu_errata.c, ARM64_WORKAROUND_2457168 */
static bool has_erratum_2457168(uint64_t midr)
{
	uint64_t variant = midr >> 20 & 0xf, revision = midr & 0xf;

	return (midr & 0xff00fff0) == 0x4100d460 && variant <= 1 && (variant == 0 || revision <= 1);
}

static bool has_clock(const struct activity_place *place)
{
	return place->io->counter_hz() && !has_erratum_2457168(place->midr);
}

/* Return the events whose counters firmware has enabled; it may have enabled only some. */
static uint32_t events_of(const struct m1pmu_amu *amu)
{
	static const enum activity_event event[FIXED] = { ACTIVITY_CYCLES, ACTIVITY_TIME,
							  ACTIVITY_INSTRUCTIONS, ACTIVITY_STALL };
	uint32_t events = 0;

	for (unsigned i = 0; i < FIXED; i++) {
		if (amu->enabled >> i & 1)
			events |= ACTIVITY_BIT(event[i]);
	}
	for (unsigned i = 0; i < amu->n_aux && i < 16; i++) {
		if (amu->enabled >> (AUX_ENABLED_SHIFT + i) & 1)
			events |= ACTIVITY_BIT(ACTIVITY_AUX + i);
	}
	return events;
}

static bool counts(const struct m1pmu_amu *amu)
{
	return amu->enabled && amu->fixed[0] && amu->fixed[1];
}

static int open_checked(const struct activity_place *place, struct err *err)
{
	int fd = place->io->open_module();

	if (fd < 0)
		return cannot_open(place, -fd, err);

	int rc = check_module(place, fd, err);

	if (rc)
		close(fd);
	return rc ? rc : fd;
}

/* @rc  error of reading a CPU's monitors, not 0 */
static int cannot_read(int rc, struct err *err)
{
	if (rc == -EOPNOTSUPP)
		return err_set(err, -rc, "no activity monitors (ID_AA64PFR0_EL1.AMU is 0)");
	if (rc == -ENXIO)
		return err_set(err, -rc,
			       "reading the activity monitors traps: a hypervisor or the firmware "
			       "keeps them (sudo dmesg | grep m1pmu)");
	return err_set(err, -rc, "the activity monitors cannot be read: %s", strerror(-rc));
}

static int ask(const struct activity_place *place, struct m1pmu_amu *ret, struct err *err)
{
	struct m1pmu_amu amu = { 0 };
	AUTO_FD int fd = open_checked(place, err);

	if (fd < 0)
		return fd;

	int rc = place->io->read_amu_on(fd, place->cpu, &amu);

	if (rc)
		return cannot_read(rc, err);
	if (!counts(&amu))
		return err_set(err, ENODATA,
			       "firmware has not enabled the activity monitors (cycles %llu, "
			       "constant %llu, AMCNTENSET 0x%llx)",
			       (unsigned long long)amu.fixed[0], (unsigned long long)amu.fixed[1],
			       (unsigned long long)amu.enabled);
	*ret = amu;
	return 0;
}

static uint32_t countable(const struct m1pmu_amu *amu)
{
	return events_of(amu) | ACTIVITY_BIT(ACTIVITY_TIME);
}

static int probe(const struct activity_place *place, uint32_t *ret_events, struct err *err)
{
	struct m1pmu_amu amu = { 0 };
	int rc = ask(place, &amu, err);

	if (!rc)
		*ret_events = countable(&amu);
	return rc;
}

unsigned activity_aux_types(const struct activity_place *place, uint64_t ret[16])
{
	struct m1pmu_amu amu = { 0 };

	if (ask(place, &amu, NULL))
		return 0;
	memcpy(ret, amu.aux_type, sizeof(amu.aux_type));
	return amu.n_aux < 16 ? amu.n_aux : 16;
}

/* ---- reading ---- */

static int amu_open_core(struct activity_core *core, struct err *err)
{
	core->fd = open_checked(&core->place, err);
	if (core->fd < 0)
		return core->fd;
	return has_clock(&core->place) ? 0 : idle_open(&core->place, &core->idle, err);
}

static void registers(const struct m1pmu_amu *amu, uint64_t ret[N_ACTIVITY_EVENTS])
{
	ret[ACTIVITY_CYCLES] = amu->fixed[0];
	ret[ACTIVITY_TIME] = amu->fixed[1];
	ret[ACTIVITY_INSTRUCTIONS] = amu->fixed[2];
	ret[ACTIVITY_STALL] = amu->fixed[3];
	memcpy(&ret[ACTIVITY_AUX], amu->aux, sizeof(amu->aux));
}

/* Add the increments. A power-off that firmware does not handle resets all registers to 0.
 * @return whether no register went back */
static bool take_registers(struct activity_core *core, const uint64_t *now)
{
	bool went_on = true;

	for (unsigned i = 0; i < N_ACTIVITY_EVENTS; i++)
		went_on &= now[i] >= core->last[i];
	for (unsigned i = 0; i < N_ACTIVITY_EVENTS; i++) {
		if (went_on && i != ACTIVITY_TIME)
			core->value[i] += now[i] - core->last[i];
	}
	return went_on;
}

static enum raw_state amu_count(struct activity_core *core, const struct m1pmu_amu *amu,
				uint64_t window_ns)
{
	uint64_t now[N_ACTIVITY_EVENTS] = { 0 }, active_ns;
	enum raw_state state = RAW_OK;

	registers(amu, now);

	bool went_on = take_registers(core, now);

	if (!has_clock(&core->place)) {
		state = idle_count(core, window_ns, &active_ns);
	} else if (went_on) {
		/* the constant counter stops with the core's clock; the total is converted to ns, so
		 * that rounding loses nothing */
		core->constant += now[ACTIVITY_TIME] - core->last[ACTIVITY_TIME];
		core->value[ACTIVITY_TIME] =
			(uint64_t)((double)core->constant *
				   (1e9 / (double)core->place.io->counter_hz()));
	}
	memcpy(core->last, now, sizeof(now));
	return went_on ? state : RAW_RESTARTED;
}

static enum raw_state amu_read_core(struct activity_core *core, uint64_t window_ns)
{
	struct m1pmu_amu amu = { 0 };
	int rc = core->place.io->read_amu(core->fd, &amu);

	if (rc == -EOPNOTSUPP || rc == -ENXIO)
		return RAW_UNSUPPORTED;
	if (rc || amu.cpu != core->place.cpu)
		return RAW_LOST;
	core->lacks = ~countable(&amu);
	return counts(&amu) ? amu_count(core, &amu, window_ns) : RAW_UNSUPPORTED;
}

const struct activity_path activity_amu = {
	.name = "amu",
	.what = "Arm's activity monitors, through the kernel module m1pmu",
	.is_by_core = true,
	.probe = probe,
	.open = amu_open_core,
	.read = amu_read_core,
};
