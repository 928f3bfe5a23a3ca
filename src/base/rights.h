/* rights.h: what a process of root's gives up once it has opened what only root may open */
#ifndef BASE_RIGHTS_H
#define BASE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/** What is still needed afterwards. Capabilities that a process does not have it never gets. */
enum right {
	RIGHT_COUNT = 1, /* perf events of the whole machine, m1pmu: CAP_PERFMON */
	RIGHT_ADMIN = 2, /* the same on kernels that want CAP_SYS_ADMIN for it */
	RIGHT_READ = 4,  /* files given by name, whoever's they are: CAP_DAC_READ_SEARCH */
	RIGHT_FILES = 8, /* where root was no one's sudo: files in folders of others, between
			   * invoker_become and invoker_return alone: CAP_DAC_OVERRIDE */
	RIGHT_LOOK =
		16,     /* which process has which file open: CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH */
	RIGHT_RUN = 32, /* a program of the user's, which may be set-uid: bounding set and
			   * no_new_privs stay as they are, for it */
	RIGHT_DEVICE = 64 /* /dev/m1pmu is opened again: stay root, without root's capabilities */
};

/**
 * Become the user who called sudo, with their groups, HOME, USER and LOGNAME; plain root stays root.
 * Keep the capabilities of `rights`, empty the bounding and ambient sets, set no_new_privs. Limits
 * of open files and locked memory are raised before, as far as root may. Of no effect in a process
 * without capabilities. Before the first thread is started: threads do not share these.
 *
 * @rights  enum right
 * @return  0; -errno: some or all rights are still there
 */
int rights_keep(unsigned rights, struct err *err);

/** Let this thread use only these from now on, until rights_keep: to try whether they suffice. */
void rights_use(unsigned rights);

/** Have this thread use RIGHT_FILES, where it was kept, or no longer. @return that has changed */
bool rights_use_files(bool on);

/** No core dump, and no look into the memory by other processes of the user. */
void rights_hide_memory(void);

/** What a process holds. */
struct rights_held {
	uid_t uid;
	uint64_t effective, permitted; /* by bit: linux/capability.h */
	bool no_new_privs;
};

/** @pid  0: this process @return 0; -ENOENT: it is gone */
int rights_of(pid_t pid, struct rights_held *ret);

/** "cap_perfmon", "cap_perfmon, cap_sys_admin and 38 more", "no capability". @return buf */
const char *rights_text(uint64_t caps, char *buf, size_t size);

#endif
