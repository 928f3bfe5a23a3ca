/* armed.h: --on: actions that run once when a condition begins to hold */
#ifndef CMD_SHARED_ARMED_H
#define CMD_SHARED_ARMED_H

#include "cmd/options.h"
#include "pmu/set.h"
#include "sampler/excursions.h"
#include "session/writer.h"

struct setup;

/** Conditions, the first of them with actions. Main thread. */
struct armed {
	struct excursions excursions;
	struct setup *setup;  /* NULL without --on */
	char *texts;          /* of --on */
	const char **actions; /* of condition i */
	size_t n, cap;
	/* Where `mark` is written; NULL: nowhere. The log may be NULL, too, for a time. */
	struct frame_writer *writer;
	struct log *const *log;
	struct history *history; /* NULL: nothing is to be written */
	pid_t pid;               /* running command; 0: none */
	struct set before, next; /* sets counted before an action and by it */
	uint64_t until_ns;       /* when `before` is counted again; 0: it is counted */
	uint32_t loaded;         /* number of the set that an action loaded */
};

/**
 * Parse the options of --on, "CONDITION do ACTION,ACTION" each (docs/excursions.md). Those of the configuration are
 * left out with a message if they are invalid here.
 *
 * @setup  with its first set; the sampler may follow. Outlives the result
 * @ret    `{ 0 }` on entry; release with armed_close, also on failure
 * @return 0; -EINVAL, -ENOENT naming the option and the place; -ENOMEM
 */
int armed_open(const struct options *options, struct setup *setup, struct armed *ret,
	       struct err *err);

/** Release. A command that still runs is left alone. */
void armed_close(struct armed *armed);

/** Take the next frame: look for excursions, run their actions, end actions whose time is over. @data  struct armed */
void armed_frame(void *data, const struct frame *frame);

#endif
