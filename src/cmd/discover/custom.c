/* A kernel of the user's is tried on a thread of its own: signals end that as well. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/discover/discover.h"

enum {
	LOOK_EVERY_MS = 10,
	QUIET_MS = 500, /* what takes longer is announced */
};

struct custom_trial {
	const struct options *options;
	atomic_bool stop, is_over;
	struct custom *custom;
	int rc;
	struct err err;
};

static void *run(void *data)
{
	struct custom_trial *trial = data;
	const struct options *with = trial->options;

	trial->rc = with->assembly ? custom_of_assembly(with->kernel_name, with->assembly,
							&trial->stop, &trial->custom, &trial->err)
				   : custom_of_programs(with->kernel_name, with->kernel_trigger,
							with->kernel_control, &trial->stop,
							&trial->custom, &trial->err);
	/* relaxed: what is read behind it is read when the thread was joined */
	atomic_store_explicit(&trial->is_over, true, memory_order_relaxed);
	return NULL;
}

static void tell(const struct options *options)
{
	if (options->assembly)
		fprintf(stderr, "m1top: trying %s; Ctrl-C ends it\n", options->assembly);
	else
		fprintf(stderr, "m1top: trying %s, and then %s, once each; Ctrl-C ends it\n",
			options->kernel_trigger, options->kernel_control);
}

static void watch(struct custom_trial *trial, struct command *signals)
{
	uint64_t from_ns = clock_now_ns();
	bool is_told = false;

	while (!atomic_load_explicit(&trial->is_over, memory_order_relaxed)) { /* as above */
		command_wait(signals, LOOK_EVERY_MS);
		/* relaxed: nothing else is told by it */
		if (signals->interrupted)
			atomic_store_explicit(&trial->stop, true, memory_order_relaxed);
		if (!is_told && clock_now_ns() - from_ns > QUIET_MS * NS_PER_MS) {
			tell(trial->options);
			is_told = true;
		}
	}
}

int discover_custom(struct discovery *d, struct err *err)
{
	struct custom_trial trial = { .options = d->options };
	pthread_t thread;
	int rc;

	if (!d->options->assembly && !d->options->kernel_trigger)
		return 0;
	rc = pthread_create(&thread, NULL, run, &trial);
	if (rc)
		return err_set(err, rc, "cannot start a thread to try it on: %s", strerror(rc));
	watch(&trial, &d->signals);
	pthread_join(thread, NULL);
	if (trial.rc)
		return err_set(err, -trial.rc, "%s", trial.err.text);
	d->custom = trial.custom;
	return 0;
}
