/* The frequency that the kernel worked out over its last tick (Linux 6.15), times the active time. */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "activity/path.h"

#define FILE_NAME "cpufreq/cpuinfo_avg_freq"

/* A CPU that had no tick of late has no answer: it was idle.
 * Source: Linux drivers/cpufreq/cpufreq.c, arch/arm64/kernel/topology.c */
static bool is_idle(int code)
{
	return code == EAGAIN || code == EOPNOTSUPP;
}

/* @ret_khz  0: idle  @return 0 or -errno */
static int read_khz(const struct activity_core *core, uint64_t *ret_khz)
{
	char text[32];
	ssize_t n = core->place.io->pread(core->fd, text, sizeof(text) - 1, 0);

	if (n < 0 && is_idle(errno)) {
		*ret_khz = 0;
		return 0;
	}
	if (n <= 0)
		return n ? -errno : -EIO;
	if (text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return num_parse_u64(text, ret_khz);
}

static int open_core(struct activity_core *core, struct err *err)
{
	char path[128];
	uint64_t khz;
	int rc = read_khz(core, &khz);

	if (rc)
		return err_set(err, -rc, "%s: %s",
			       activity_file(core->place.cpu, FILE_NAME, path, sizeof(path)),
			       rc == -EINVAL ? "not a frequency in kHz" : strerror(-rc));
	return idle_open(&core->place, &core->idle, err);
}

static enum raw_state read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns, khz = 0;
	enum raw_state state = idle_count(core, window_ns, &active_ns);

	if (state != RAW_OK || read_khz(core, &khz))
		return RAW_LOST;
	core->value[ACTIVITY_CYCLES] += (uint64_t)((double)khz * (double)active_ns * 1e-6);
	return RAW_OK;
}

const struct activity_path activity_cpufreq = {
	.name = "cpufreq",
	.what = "cpuinfo_avg_freq, the kernel's average over its last tick, times the active time",
	.is_estimate = true,
	.file = FILE_NAME,
	.whose = "Linux 6.15 and later have it if counters measure the frequency",
	.events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME),
	.open = open_core,
	.read = read_core,
};
