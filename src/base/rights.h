/* rights.h: dropping root's rights once everything that needs them is open */
#ifndef BASE_RIGHTS_H
#define BASE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/** Rights that are still needed afterwards. A capability that the process lacks is never added. */
enum right {
	RIGHT_COUNT = 1, /* perf events of the whole machine, m1pmu: CAP_PERFMON */
	RIGHT_ADMIN = 2, /* the same on kernels that require CAP_SYS_ADMIN for it */
	RIGHT_READ = 4,  /* files given by name, of any owner: CAP_DAC_READ_SEARCH */
	RIGHT_FILES = 8, /* files in folders of others, for root without sudo and only between
			  * invoker_become and invoker_return: CAP_DAC_OVERRIDE */
	RIGHT_LOOK = 16, /* open files of other processes: CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH */
	RIGHT_RUN = 32,  /* a program of the user, which may be set-uid: leave its bounding set and
			  * no_new_privs unchanged */
	RIGHT_DEVICE = 64, /* reopening /dev/m1pmu: stay root, without root's capabilities */
	RIGHT_OPEN =
		256, /* maps and mapped files of other processes, addresses of the kernel: CAP_SYS_PTRACE,
			   * CAP_DAC_READ_SEARCH, CAP_CHECKPOINT_RESTORE, CAP_SYSLOG */
	RIGHT_CONFINE =
		512, /* to take rights from children: CAP_SETUID, CAP_SETGID, CAP_SYS_CHROOT */
	RIGHT_REAL_TIME =
		1024, /* threads that run before ordinary ones: CAP_SYS_NICE, in effect until rights_drop */
	RIGHT_PEERS = 128, /* tasks with the same capabilities: the kernel lets a process count them
			     * only if it is permitted all of theirs: permitted ones stay */
	RIGHT_TASKS = 2048, /* nice value, affinity and signals of tasks of others, for root without
			     * sudo and only while they are set: CAP_SYS_NICE, CAP_KILL */
	RIGHT_RAISED = RIGHT_FILES | RIGHT_TASKS, /* those that rights_raise turns on */
};

/**
 * Become the user who called sudo, with their groups, HOME, USER and LOGNAME; plain root stays root.
 * Keep the capabilities of `rights`, empty the bounding and ambient sets, set no_new_privs. Before that,
 * raise the limits of open files and locked memory as far as root may. Does nothing in a process
 * without capabilities. Call before the first thread is started: threads do not share these.
 *
 * @rights  enum right
 * @return  0; -errno: some or all rights are still there
 */
int rights_keep(unsigned rights, struct err *err);

/** Let this thread use only these rights until rights_keep, to test whether they suffice. */
void rights_use(unsigned rights);

/** Turn a right of RIGHT_RAISED on or off for this thread, if it was kept. @return whether that has changed */
bool rights_raise(enum right right, bool on);

/** Drop these rights in this thread, those of RIGHT_RAISED until they are raised; threads started before keep theirs. */
void rights_drop(unsigned rights);

/** Drop all rights, also those that a program could regain, in a process with one thread. @return 0 or -errno */
int rights_drop_all(void);

/** Disable core dumps and access to the memory by other processes of the user. */
void rights_hide_memory(void);

/** Rights of a process. */
struct rights_held {
	uid_t uid;
	uint64_t effective, permitted; /* bits as in linux/capability.h */
	bool no_new_privs;
};

/** Read the rights of a process. @pid  0: this one  @return 0; -ENOENT: it is gone */
int rights_of(pid_t pid, struct rights_held *ret);

/**
 * Return why neither sudo nor setcap would give this process more rights.
 *
 * @return  "in this user namespace", "as root without cap_perfmon", "under no_new_privs"; NULL: they would
 */
const char *rights_why_no_more(void);

/** Format capabilities: "cap_perfmon", "cap_perfmon, cap_sys_admin and 38 more", "no capability". @return
 * buf */
const char *rights_text(uint64_t caps, char *buf, size_t size);

#endif
