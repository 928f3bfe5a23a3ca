#include "base/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/invoker.h"

/* Since Linux 5.8; headers may be older. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Since Linux 5.9. */
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

#define BIT(cap) (UINT64_C(1) << (cap))

/* Limit of open files: more than cores times counters of any machine. */
enum { FILES_MAX = 1 << 20 };

struct caps {
	uint64_t effective, permitted;
};

/* Capabilities, and the rights that need them. */
static const struct {
	unsigned cap, rights;
	const char *name;
} known[] = {
	{ CAP_PERFMON, RIGHT_COUNT, "cap_perfmon" },
	{ CAP_SYS_ADMIN, RIGHT_ADMIN, "cap_sys_admin" },
	{ CAP_DAC_READ_SEARCH, RIGHT_READ | RIGHT_LOOK | RIGHT_OPEN, "cap_dac_read_search" },
	{ CAP_SYS_PTRACE, RIGHT_LOOK | RIGHT_OPEN, "cap_sys_ptrace" },
	{ CAP_DAC_OVERRIDE, RIGHT_FILES, "cap_dac_override" },
	{ CAP_CHECKPOINT_RESTORE, RIGHT_OPEN, "cap_checkpoint_restore" },
	{ CAP_SYSLOG, RIGHT_OPEN, "cap_syslog" },
	{ CAP_SETUID, RIGHT_CONFINE, "cap_setuid" },
	{ CAP_SETGID, RIGHT_CONFINE, "cap_setgid" },
	{ CAP_SYS_CHROOT, RIGHT_CONFINE, "cap_sys_chroot" },
	{ CAP_SYS_NICE, RIGHT_REAL_TIME | RIGHT_TASKS, "cap_sys_nice" },
	{ CAP_KILL, RIGHT_TASKS, "cap_kill" },
};

static uint64_t caps_of(unsigned rights)
{
	uint64_t caps = 0;

	if (invoker_uid() != 0)
		rights &= ~(unsigned)RIGHT_RAISED;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		caps |= rights & known[i].rights ? BIT(known[i].cap) : 0;
	return caps;
}

/* ---- the sets of this thread ---- */

/* Return the capabilities of this thread; none if the kernel does not report them. */
static struct caps caps_now(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return (struct caps){ 0 };
	return (struct caps){
		.effective = data[0].effective | (uint64_t)data[1].effective << 32,
		.permitted = data[0].permitted | (uint64_t)data[1].permitted << 32,
	};
}

/* Set the capabilities; none is inheritable. An unchanged set is not written: a service's filter of system
 * calls may refuse the call. */
static int caps_write(const struct caps *caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = (uint32_t)caps->effective, .permitted = (uint32_t)caps->permitted },
		{ .effective = (uint32_t)(caps->effective >> 32),
		  .permitted = (uint32_t)(caps->permitted >> 32) },
	};

	struct caps now = caps_now();

	if (now.effective == caps->effective && now.permitted == caps->permitted)
		return 0;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

void rights_use(unsigned rights)
{
	struct caps caps = caps_now();

	caps.effective = caps_of(rights) & caps.permitted;
	(void)caps_write(&caps);
}

static uint64_t stay; /* capabilities that rights_drop leaves permitted */

void rights_drop(unsigned rights)
{
	struct caps caps = caps_now();

	caps.effective &= ~caps_of(rights);
	caps.permitted &= ~caps_of(rights) | stay;
	(void)caps_write(&caps);
}

bool rights_raise(enum right right, bool on)
{
	struct caps caps = caps_now();
	uint64_t raised = caps_of(right) & caps.permitted;

	if (!raised || !(caps.effective & raised) != on)
		return false;
	caps.effective ^= raised;
	return !caps_write(&caps);
}

/* ---- dropping ---- */

/* Raise the hard limits as far as possible: later files and locked memory may exceed those of root. */
static void raise_limits(void)
{
	struct rlimit files, memory;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_max < FILES_MAX) {
		files.rlim_max = FILES_MAX;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (!getrlimit(RLIMIT_MEMLOCK, &memory)) {
		memory.rlim_max = RLIM_INFINITY;
		(void)setrlimit(RLIMIT_MEMLOCK, &memory);
	}
}

/* Remove what a program that is started could regain. */
static int empty_bounding_set(void)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return -errno;
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		/* impossible without CAP_SETPCAP: no_new_privs has the same effect */
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EPERM)
			return -errno;
	}
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

/* Become the invoker; permitted capabilities survive the change of user, effective ones do not. */
static int become_invoker(void)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -errno;

	int rc = invoker_become_for_good();

	(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	return rc;
}

static int rights_give_up(const struct caps *now, unsigned rights)
{
	const struct caps all = { now->permitted, now->permitted };
	struct caps kept = { .permitted = caps_of(rights) & now->permitted };
	int rc = caps_write(&all); /* rights_use may have reduced them */

	kept.effective = caps_of(rights & ~(unsigned)RIGHT_RAISED) & now->permitted;
	stay = rights & RIGHT_PEERS ? now->permitted : caps_of(rights & RIGHT_TASKS);
	if (rights & RIGHT_PEERS)
		kept.permitted = now->permitted;
	raise_limits();
	if (!rc && !(rights & RIGHT_RUN))
		rc = empty_bounding_set();
	if (!rc && !(rights & RIGHT_DEVICE))
		rc = become_invoker();
	return rc ? rc : caps_write(&kept);
}

int rights_keep(unsigned rights, struct err *err)
{
	const struct caps now = caps_now();
	int rc = now.permitted || geteuid() == 0 ? rights_give_up(&now, rights) : 0;

	return rc ? err_set(err, -rc, "the rights of root cannot be given up: %s", strerror(-rc))
		  : 0;
}

int rights_drop_all(void)
{
	const struct caps none = { 0 };

	(void)empty_bounding_set();
	return caps_write(&none);
}

void rights_hide_memory(void)
{
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

/* ---- held rights ---- */

static uint64_t number_behind(const char *line, const char *name, int base, uint64_t otherwise)
{
	size_t n = strlen(name);

	return strncmp(line, name, n) == 0 ? strtoull(line + n, NULL, base) : otherwise;
}

int rights_of(pid_t pid, struct rights_held *ret)
{
	struct rights_held held = { 0 };
	char path[64], line[256];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	else
		snprintf(path, sizeof(path), "/proc/self/status");

	AUTO_FILE FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file)) {
		held.uid = (uid_t)number_behind(line, "Uid:", 10, held.uid);
		held.effective = number_behind(line, "CapEff:", 16, held.effective);
		held.permitted = number_behind(line, "CapPrm:", 16, held.permitted);
		held.no_new_privs = number_behind(line, "NoNewPrivs:", 10, held.no_new_privs);
	}
	if (!file)
		return -ENOENT;
	*ret = held;
	return 0;
}

const char *rights_why_no_more(void)
{
	/* the first user namespace. Source: include/linux/proc_ns.h, PROC_USER_INIT_INO */
	const ino_t first = 0xEFFFFFFD;
	struct stat st;

	if (!stat("/proc/self/ns/user", &st) && st.st_ino != first)
		return "in this user namespace";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return "under no_new_privs";
	return geteuid() ? NULL : "as root without cap_perfmon";
}

const char *rights_text(uint64_t caps, char *buf, size_t size)
{
	size_t used = 0;

	snprintf(buf, size, "no capability");
	for (size_t i = 0; i < ARRAY_SIZE(known) && used < size; i++) {
		if (!(caps & BIT(known[i].cap)))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 known[i].name);
		caps &= ~BIT(known[i].cap);
	}
	if (caps && used < size)
		snprintf(buf + used, size - used, "%s%d more", used ? " and " : "",
			 __builtin_popcountll(caps));
	return buf;
}
