/* sim_rig.c: a simulated machine, its events and groups, for tests that count on it */
#include "rig/sim_rig.h"

struct sim_rig sim_rig_open(const char *options)
{
	struct backend_config config = { .name = "sim", .options = options };
	struct sim_rig rig = { .sim = NULL };

	if (backend_open(&config, &rig.sim, &rig.err) < 0)
		fail_msg("%s", rig.err.text);
	assert_int_equal(event_table_new(&rig.sim->machine, &rig.events), 0);
	return rig;
}

void sim_rig_close(struct sim_rig *rig)
{
	event_table_free(rig->events);
	backend_close(rig->sim);
}

struct set sim_rig_set(struct sim_rig *rig, const char *list)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;
	struct set set;

	if (event_specs_parse(list, &spec, &n, &rig->err) < 0 ||
	    set_make(rig->events, spec, n, PRIVILEGE_BOTH, &set, &rig->err) < 0)
		fail_msg("%s: %s", list, rig->err.text);
	set.number = 1;
	return set;
}

struct group *sim_rig_count(struct sim_rig *rig, unsigned core, const struct set *set)
{
	struct group *group = NULL;

	if (rig->sim->ops->group_open(rig->sim, core, set, &group, &rig->err) < 0)
		fail_msg("core %u: %s", core, rig->err.text);
	assert_int_equal(rig->sim->ops->group_enable(group), 0);
	return group;
}

struct sample sim_rig_read(struct sim_rig *rig, struct group *group)
{
	struct sample sample = { 0 };

	assert_int_equal(rig->sim->ops->group_read(group, &sample), 0);
	return sample;
}

void sim_rig_advance(struct sim_rig *rig, uint64_t t_ns)
{
	rig->sim->ops->advance(rig->sim, t_ns);
}

uint64_t sim_rig_gain(const struct sample *a, const struct sample *b, unsigned slot)
{
	assert_int_equal(a->state[slot], RAW_OK);
	assert_int_equal(b->state[slot], RAW_OK);
	return counter_delta(a->raw[slot].value, b->raw[slot].value, 48);
}

uint64_t sim_rig_truth(struct sim_rig *rig, unsigned core, const struct set *set, unsigned slot,
		       const struct sample *a, const struct sample *b)
{
	unsigned type = rig->sim->machine.core[core].type;
	const struct event *event = set->type[type].event[slot];

	return sim_truth(rig->sim, core, event->config[0], event->privilege, a->t_ns, b->t_ns);
}
