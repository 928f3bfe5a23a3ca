/* sampler_rig.c: a sampler over the simulation, from options to the first set */
#include "rig/sampler_rig.h"

void must(int rc, const struct err *err)
{
	if (rc)
		fail_msg("%d: %s", rc, err->text);
}

void rig_make(struct rig *rig, const char *options, uint64_t interval_ns)
{
	struct backend_config config = { .name = "sim", .options = options };
	struct err err = { "" };

	*rig = (struct rig){ 0 };
	must(backend_open(&config, &rig->backend, &err), &err);
	must(event_table_new(&rig->backend->machine, &rig->events), &err);
	must(metrics_make(&rig->backend->machine, &rig->metrics, &err), &err);
	must(set_default(rig->events, PRIVILEGE_BOTH, 0, &rig->first, &err), &err);

	const struct sampler_config sampler = { .backend = rig->backend,
						.metrics = &rig->metrics,
						.interval_ns = interval_ns };

	must(sampler_new(&sampler, &rig->sampler, &err), &err);
	must(sampler_subscribe(rig->sampler, 4096, &rig->queue, &err), &err);
}

void rig_start(struct rig *rig)
{
	struct err err = { "" };

	must(sampler_start(rig->sampler, &rig->first, &err), &err);
}

void rig_up(struct rig *rig, const char *options, uint64_t interval_ns)
{
	rig_make(rig, options, interval_ns);
	rig_start(rig);
}

void rig_down(struct rig *rig)
{
	sampler_free(rig->sampler);
	metrics_fini(&rig->metrics);
	event_table_free(rig->events);
	backend_close(rig->backend);
}

void rig_change(struct rig *rig, unsigned slot, const char *event)
{
	struct set next;
	struct err err = { "" };

	must(set_change(rig->events, sampler_set(rig->sampler), slot, event, PRIVILEGE_BOTH, &next,
			&err),
	     &err);
	must(sampler_load(rig->sampler, &next, &err), &err);
}

const struct frame *wait_for_frame(const struct rig *rig)
{
	struct pollfd fd = { .fd = queue_fd(rig->queue), .events = POLLIN };
	const struct frame *frame;

	while (!(frame = queue_pop(rig->queue, NULL))) {
		sampler_service(rig->sampler);
		if (poll(&fd, 1, 60000) == 0)
			fail_msg("no frame came");
		queue_clear(rig->queue);
	}
	return frame;
}
