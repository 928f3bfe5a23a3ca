/* What may be counted here, and what m1top may do while it counts. */
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/invoker.h"
#include "base/num.h"
#include "base/rights.h"
#include "cmd/doctor/doctor.h"
#include "machine/sysfs.h"

/* Since Linux 5.8; headers may be older. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static const char paranoid_path[] = "/proc/sys/kernel/perf_event_paranoid";

/* A file with one number. @return -1 when it cannot be read */
static long number_in(const char *path)
{
	char text[32];
	bool negative;
	uint64_t value;

	if (sysfs_read("", path, text, sizeof(text)) < 0)
		return -1;
	negative = text[0] == '-';
	if (num_parse_u64(text + negative, &value) || value > INT_MAX)
		return -1;
	return negative ? -(long)value : (long)value;
}

static void tell_paranoid(bool may)
{
	long paranoid = number_in(paranoid_path);
	char self[512];

	if (!sysfs_exists("", paranoid_path)) {
		PROBLEM("the kernel has no perf events: it needs CONFIG_PERF_EVENTS");
		return;
	}
	if (paranoid <= 0 || may) {
		OK("perf_event_paranoid is %ld: this user may count the whole machine", paranoid);
		return;
	}
	PROBLEM("perf_event_paranoid is %ld: this user may not count the whole machine; one of "
		"these fixes it:",
		paranoid);
	file_self(self, sizeof(self));
	printf("       sudo %s\n"
	       "       sudo setcap cap_perfmon+ep %s\n"
	       "       sudo sysctl kernel.perf_event_paranoid=0\n",
	       self, self);
}

static bool is_m1top(const char *pid)
{
	char path[64], name[32];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	return sysfs_read("", path, name, sizeof(name)) > 0 && strcmp(name, "m1top") == 0;
}

static void tell_one(pid_t pid)
{
	struct rights_held held;
	char caps[160];

	if (rights_of(pid, &held))
		return;
	doctor_say("-", "m1top (%d) runs as user %u with %s%s", (int)pid, held.uid,
		   rights_text(held.permitted, caps, sizeof(caps)),
		   held.no_new_privs ? ", no_new_privs" : "");
}

static void tell_running(void)
{
	struct dirent **entry;
	int n = sysfs_list("", "/proc", &entry);
	uint64_t pid;

	for (int i = 0; i < n; i++) {
		if (!num_parse_u64(entry[i]->d_name, &pid) && (pid_t)pid != getpid() &&
		    is_m1top(entry[i]->d_name))
			tell_one((pid_t)pid);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

bool doctor_rights(void)
{
	const uint64_t perfmon = UINT64_C(1) << CAP_PERFMON, admin = UINT64_C(1) << CAP_SYS_ADMIN,
		       ptrace = UINT64_C(1) << CAP_SYS_PTRACE;
	struct rights_held held = { 0 };
	struct err err = { "" };

	printf("Rights\n");
	(void)rights_of(0, &held);
	doctor_say(held.effective & (perfmon | admin) ? "ok" : "-",
		   "capabilities: cap_perfmon %s, cap_sys_admin %s",
		   held.effective & perfmon ? "yes" : "no", held.effective & admin ? "yes" : "no");
	tell_paranoid(held.effective & (perfmon | admin));
	if (held.permitted)
		OK("m1top gives up all others once it counts, and runs as user %u", invoker_uid());
	tell_running();
	if (rights_keep(RIGHT_LOOK, &err))
		PROBLEM("%s", err.text);
	return held.effective & ptrace;
}
