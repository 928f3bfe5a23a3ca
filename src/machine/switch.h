/* switch.h: what a core tells of its context switches, and of tasks that begin, end and change their name */
#ifndef MACHINE_SWITCH_H
#define MACHINE_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TASK_COMM_SIZE = 16, /* with its 0; Linux TASK_COMM_LEN */
	TID_GONE = -1,       /* as uint32_t: it has ended, and its id is no longer its own */
};

/**
 * Where a core's counters stood, and whose work the counts before that are: those since the last
 * switch. A switch is a point of the task that leaves, a sample one of the task that reads.
 */
struct switch_point {
	uint64_t
		stream; /* of one group, from its opening to its end; 0: switches are not counted */
	uint64_t n;     /* switches that the group has counted, this one among them */
	uint64_t enabled_ns, running_ns; /* of the group */
	uint32_t pid, tid;               /* 0: idle; TID_GONE */
};

struct task_switch {
	struct switch_point at;
	uint64_t t_ns; /* on the clock of samples */
	unsigned n_slots;
	bool is_guess; /* the record did not say whose it is: the stream is the likely one */
	const uint64_t *value; /* by slot, as in struct raw; 0 where the group does not count */
};

enum task_note_kind { NOTE_NAME, NOTE_FORK, NOTE_EXIT };

struct task_note {
	enum task_note_kind kind;
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid; /* NOTE_FORK: the thread that made it */
	uint64_t t_ns;
	char comm[TASK_COMM_SIZE]; /* NOTE_NAME */
};

/** Who takes what is handed over; it holds during the call alone. */
struct switch_sink {
	void *data;
	/* false: there is no room for it now; it will be handed over again */
	bool (*take_switch)(void *data, const struct task_switch *one);
	void (*take_note)(void *data, const struct task_note *note);
};

#endif
