/* users.h: whose a process is, asked of /proc once */
#ifndef TUI_TASKS_USERS_H
#define TUI_TASKS_USERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { USERS_PIDS = 1024, USERS_NAMES = 64, USERS_NAME_SIZE = 33 };

/** What is known already; `{ 0 }` is nothing. What finds no place is asked again. */
struct users {
	struct {
		uint32_t pid; /* 0: none */
		uint64_t first_ns;
		uid_t uid;
	} of[USERS_PIDS];
	struct {
		uid_t uid;
		char name[USERS_NAME_SIZE]; /* "": none */
	} name[USERS_NAMES];
};

/**
 * The name of a process's user, or the number of one without a name. Of this machine, now.
 *
 * @first_ns  tells it from others that had the pid
 * @return    valid until the next call; "-" when it has ended
 */
const char *users_name(struct users *users, uint32_t pid, uint64_t first_ns);

#endif
