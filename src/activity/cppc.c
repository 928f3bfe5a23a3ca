/* ACPI's feedback counters (CPPC): how much work was delivered against a reference. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "activity/path.h"
#include "machine/sysfs.h"

#define FOLDER    "acpi_cppc/"
#define FILE_NAME FOLDER "feedback_ctrs"

/* "ref:123" at the head of a text; *at moves behind it */
static bool take(const char **at, const char *name, uint64_t *ret)
{
	size_t n = strlen(name);
	char *end;

	if (strncmp(*at, name, n) != 0 || !isdigit((unsigned char)(*at)[n]))
		return false;
	*ret = strtoull(*at + n, &end, 10);
	*at = end;
	return true;
}

/* "ref:123 del:456". Source: Linux drivers/acpi/cppc_acpi.c */
static int parse(const char *text, uint64_t *ret_ref, uint64_t *ret_del)
{
	uint64_t ref, del;

	if (!take(&text, "ref:", &ref) || !take(&text, " del:", &del) || text[strspn(text, "\n")])
		return -EINVAL;
	*ret_ref = ref;
	*ret_del = del;
	return 0;
}

/* @return 0; -EAGAIN idle; -errno */
static int read_counters(const struct activity_core *core, uint64_t *ret_ref, uint64_t *ret_del)
{
	char text[64];
	ssize_t n = core->place.io->pread(core->fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return errno == EOPNOTSUPP ? -EAGAIN : -errno;
	text[n] = '\0';
	return parse(text, ret_ref, ret_del);
}

/* What an all-ones value says: the firmware did not. Source: include/acpi/cppc_acpi.h */
static uint64_t known(uint64_t value)
{
	return value == UINT64_MAX || value == UINT32_MAX ? 0 : value;
}

static int read_scale(const struct activity_place *place, struct activity_cppc *ret,
		      struct err *err)
{
	struct activity_cppc cppc = { 0 };
	int rc = sysfs_cpu_number(place->root, place->cpu, FOLDER "reference_perf",
				  &cppc.reference_perf, err);

	if (!rc)
		rc = sysfs_cpu_number(place->root, place->cpu, FOLDER "nominal_perf",
				      &cppc.nominal_perf, err);
	if (!rc)
		rc = sysfs_cpu_number(place->root, place->cpu, FOLDER "nominal_freq",
				      &cppc.nominal_mhz, err);
	if (rc)
		return rc;
	if (!cppc.reference_perf || !cppc.nominal_perf || !cppc.nominal_mhz)
		return err_set(err, ENODATA,
			       "cpu%u/" FOLDER
			       ": the firmware does not give nominal performance in MHz",
			       place->cpu);
	if (sysfs_cpu_number(place->root, place->cpu, FOLDER "wraparound_time", &cppc.wraparound_s,
			     NULL))
		cppc.wraparound_s = 0;
	cppc.wraparound_s = known(cppc.wraparound_s);
	*ret = cppc;
	return 0;
}

static int first_read(struct activity_core *core, struct err *err)
{
	char path[128];
	int rc = read_counters(core, &core->cppc.ref, &core->cppc.del);

	if (rc == -EAGAIN)
		return 0;
	activity_file(core->place.cpu, FILE_NAME, path, sizeof(path));
	if (rc)
		return err_set(err, -rc, "%s: %s", path,
			       rc == -EINVAL ? "not \"ref:N del:N\"" : strerror(-rc));
	core->cppc.is_known = true;
	if (!core->cppc.ref && !core->cppc.del)
		return err_set(err, ENODATA,
			       "%s: the counters are 0: firmware has not enabled "
			       "them",
			       path);
	return 0;
}

static int open_core(struct activity_core *core, struct err *err)
{
	int rc = read_scale(&core->place, &core->cppc, err);

	if (!rc)
		rc = first_read(core, err);
	return rc ? rc : idle_open(&core->place, &core->idle, err);
}

/* Registers of 32 or 64 bits, which is not said: one that fits in 32 has gone round there.
 * Source: Linux drivers/cpufreq/cppc_cpufreq.c */
static uint64_t gain(uint64_t before, uint64_t after)
{
	return after >= before || before > UINT32_MAX ? after - before : (uint32_t)(after - before);
}

/*
 * ACPI says what the ratio of the two counters means, not at which rate the reference ticks: the
 * time comes from elsewhere.
 */
static uint64_t cycles_of(const struct activity_cppc *cppc, uint64_t ref, uint64_t del,
			  uint64_t active_ns)
{
	double mhz = (double)cppc->reference_perf * (double)del / (double)ref *
		     (double)cppc->nominal_mhz / (double)cppc->nominal_perf;

	return (uint64_t)(mhz * (double)active_ns * 1e-3);
}

static enum raw_state count(struct activity_core *core, uint64_t window_ns, uint64_t active_ns,
			    uint64_t ref, uint64_t del)
{
	struct activity_cppc *cppc = &core->cppc;
	uint64_t more_ref = gain(cppc->ref, ref), more_del = gain(cppc->del, del);
	bool was_known = cppc->is_known;

	cppc->ref = ref;
	cppc->del = del;
	cppc->is_known = true;
	if (!was_known || more_ref > INT64_MAX || more_del > INT64_MAX ||
	    (cppc->wraparound_s && window_ns / NS_PER_S >= cppc->wraparound_s))
		return RAW_RESTARTED;
	if (more_ref)
		core->value[ACTIVITY_CYCLES] += cycles_of(cppc, more_ref, more_del, active_ns);
	return RAW_OK;
}

static enum raw_state read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns, ref = 0, del = 0;
	enum raw_state state = idle_count(core, window_ns, &active_ns);

	if (state != RAW_OK)
		return state;

	int rc = read_counters(core, &ref, &del);

	if (rc == -EAGAIN)
		return RAW_OK;
	return rc ? RAW_LOST : count(core, window_ns, active_ns, ref, del);
}

const struct activity_path activity_cppc = {
	.name = "cppc",
	.what = "ACPI's feedback counters, delivered against reference, times the active time",
	.file = FILE_NAME,
	.whose = "servers that boot with ACPI have it",
	.events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME),
	.open = open_core,
	.read = read_core,
};
