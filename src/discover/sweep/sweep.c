#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "discover/sweep/internal.h"

int sweep_new(const struct sweep_request *request, struct sweep **ret, struct err *err)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));

	if (!sweep)
		return err_set(err, ENOMEM, "out of memory");
	sweep->backend = request->backend;
	sweep->began_share = -1;
	pthread_mutex_init(&sweep->mutex, NULL);

	int rc = sweep_prepare(sweep, request, err);

	if (rc) {
		sweep_free(sweep);
		return rc;
	}
	*ret = sweep;
	return 0;
}

static void *run(void *data)
{
	struct sweep *sweep = data;
	struct err err = { "" };
	int rc = sweep_measure(sweep, &err);

	pthread_mutex_lock(&sweep->mutex);
	sweep->result = rc;
	sweep->err = err;
	sweep->findings.is_complete = !rc;
	sweep->findings.spent_ns += clock_now_ns() - sweep->began_ns;
	sweep->progress.is_over = true;
	sweep->progress.version++;
	if (!rc)
		sweep->progress.share = 1;
	pthread_mutex_unlock(&sweep->mutex);
	return NULL;
}

int sweep_start(struct sweep *sweep, struct err *err)
{
	sweep->began_ns = clock_now_ns();

	int rc = pthread_create(&sweep->thread, NULL, run, sweep);

	if (rc)
		return err_set(err, rc, "cannot start a thread to measure on: %s", strerror(rc));
	sweep->is_started = true;
	return 0;
}

void sweep_stop(struct sweep *sweep)
{
	/* relaxed: nothing else is told by it */
	atomic_store_explicit(&sweep->stop, true, memory_order_relaxed);
}

bool sweep_is_stopped(const struct sweep *sweep)
{
	return atomic_load_explicit(&sweep->stop, memory_order_relaxed);
}

/* What earlier parts did took none of this one's time. */
static uint64_t time_left(struct sweep *sweep, double share)
{
	uint64_t spent_ns = clock_now_ns() - sweep->began_ns;

	if (sweep->began_share < 0)
		sweep->began_share = share;

	double done = share - sweep->began_share;

	if (done < 0.002 || spent_ns < NS_PER_S / 5)
		return UINT64_MAX;
	return (uint64_t)((double)spent_ns * (1 - share) / done);
}

void sweep_tell(struct sweep *sweep, unsigned type, const char *kernel, double share)
{
	struct sweep_progress *progress = &sweep->progress;

	share = (type + share) / sweep->findings.n_types;
	pthread_mutex_lock(&sweep->mutex);
	progress->share = share;
	progress->left_ns = time_left(sweep, share);
	snprintf(progress->type, sizeof(progress->type), "%s", sweep->findings.type[type].name);
	snprintf(progress->kernel, sizeof(progress->kernel), "%s", kernel);
	progress->version++;
	pthread_mutex_unlock(&sweep->mutex);
}

void sweep_look(struct sweep *sweep, struct sweep_progress *ret)
{
	pthread_mutex_lock(&sweep->mutex);
	*ret = sweep->progress;
	pthread_mutex_unlock(&sweep->mutex);
}

bool sweep_runs(struct sweep *sweep)
{
	bool runs;

	pthread_mutex_lock(&sweep->mutex);
	runs = sweep->is_started && !sweep->progress.is_over;
	pthread_mutex_unlock(&sweep->mutex);
	return runs;
}

int sweep_findings(struct sweep *sweep, struct findings *ret, struct err *err)
{
	struct findings findings = { 0 };

	pthread_mutex_lock(&sweep->mutex);

	int rc = findings_copy(&sweep->findings, &findings);

	if (!rc && sweep->began_ns && !sweep->progress.is_over)
		findings.spent_ns += clock_now_ns() - sweep->began_ns;
	pthread_mutex_unlock(&sweep->mutex);
	if (!rc)
		rc = findings_decide(&findings);
	if (rc) {
		findings_fini(&findings);
		return err_set(err, ENOMEM, "out of memory");
	}
	*ret = findings;
	return 0;
}

int sweep_result(struct sweep *sweep, struct err *err)
{
	if (sweep->is_started)
		pthread_join(sweep->thread, NULL);
	sweep->is_started = false;
	if (sweep->result)
		return err_set(err, -sweep->result, "%s", sweep->err.text);
	return 0;
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	sweep_stop(sweep);
	sweep_result(sweep, NULL);
	event_table_free(sweep->events);
	findings_fini(&sweep->findings);
	pthread_mutex_destroy(&sweep->mutex);
	free(sweep);
}
