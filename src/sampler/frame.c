#include "sampler/frame.h"

#include <assert.h>
#include <stdlib.h>

#include "pmu/set_devices.h"

const char *const frame_by_name[N_FRAME_BY] = { "core", "cluster", "type", "system", "device" };

struct frame *frame_new(unsigned n_cores, unsigned n_slots, unsigned n_metrics)
{
	size_t cores = n_cores * sizeof(struct frame_core);
	size_t counts = (size_t)n_cores * n_slots * sizeof(struct count);
	size_t metrics = (size_t)n_cores * n_metrics * sizeof(struct reading);
	char *memory = calloc(1, sizeof(struct frame) + cores + counts + metrics);

	if (!memory)
		return NULL;

	struct frame *frame = (struct frame *)memory;

	frame->n_cores = n_cores;
	frame->n_slots = n_slots;
	frame->n_metrics = n_metrics;
	memory += sizeof(*frame);
	frame->core = (struct frame_core *)memory;
	frame->count = (struct count *)(memory + cores);
	frame->metric = (struct reading *)(memory + cores + counts);
	atomic_init(&frame->refs, 1);
	return frame;
}

const struct frame *frame_ref(const struct frame *frame)
{
	/* the count is the one thing in a published frame that still changes */
	atomic_fetch_add_explicit((atomic_uint *)&frame->refs, 1, memory_order_relaxed);
	return frame;
}

void frame_unref(const struct frame *frame)
{
	if (!frame)
		return;
	/* acq_rel: whoever frees has seen every other holder's last use */
	if (atomic_fetch_sub_explicit((atomic_uint *)&frame->refs, 1, memory_order_acq_rel) == 1)
		free((struct frame *)frame);
}

const struct count *frame_counts(const struct frame *frame, unsigned core)
{
	assert(core < frame->n_cores);
	return frame->count + (size_t)core * frame->n_slots;
}

const struct reading *frame_metrics(const struct frame *frame, unsigned core)
{
	assert(core < frame->n_cores);
	return frame->metric + (size_t)core * frame->n_metrics;
}

static unsigned n_devices(const struct set *set)
{
	struct set_devices devices;

	set_devices(set, &devices);
	return devices.n;
}

unsigned frame_n_rows(const struct machine *machine, const struct set *set, enum frame_by by)
{
	switch (by) {
	case BY_DEVICE: return n_devices(set);
	case BY_CORE: return machine->n_cores;
	case BY_CLUSTER: return machine->n_clusters;
	default: return machine->n_types;
	}
}

static bool in_row(const struct core *core, enum frame_by by, unsigned i)
{
	return by == BY_CLUSTER ? core->cluster == i : core->type == i;
}

static void row_of_core(const struct frame *frame, const struct machine *machine, unsigned core,
			struct frame_row *row)
{
	const struct frame_core *fc = &frame->core[core];

	row->type = machine->core[core].type;
	row->n_cores = 1;
	row->n_on = fc->state == CORE_ON;
	row->state = fc->state;
	row->t_ns = fc->t_ns;
	row->window_ns = fc->window_ns;
	for (unsigned i = 0; i < frame->n_slots; i++)
		row->count[i] = frame_counts(frame, core)[i];
	for (unsigned i = 0; i < frame->n_metrics; i++)
		row->metric[i] = frame_metrics(frame, core)[i];
}

/* @columns  as bits: those that the row has */
static void add_core(const struct frame *frame, unsigned core, uint64_t columns,
		     struct frame_row *row)
{
	const struct frame_core *fc = &frame->core[core];

	row->n_cores++;
	row->n_on += fc->state == CORE_ON;
	if (fc->state < row->state)
		row->state = fc->state;
	if (fc->t_ns > row->t_ns)
		row->t_ns = fc->t_ns;
	if (fc->window_ns > row->window_ns)
		row->window_ns = fc->window_ns;
	for (unsigned i = 0; i < frame->n_slots; i++)
		if (columns >> i & 1)
			count_add(&row->count[i], &frame_counts(frame, core)[i]);
}

/* The kernel counts a device on the CPUs of its cpumask: one, or one a package. A session that is
 * replayed does not know it, and -C may leave them all out: then any core says what became of it. */
static bool counts_device(const struct machine *machine, const struct pmu *pmu, unsigned core)
{
	bool is_known = false;

	for (unsigned i = 0; i < machine->n_cores && !is_known; i++)
		is_known = cpus_has(&pmu->cpus, machine->core[i].cpu);
	return !is_known || cpus_has(&pmu->cpus, machine->core[core].cpu);
}

static void row_of_device(const struct frame *frame, const struct machine *machine,
			  struct frame_row *row)
{
	struct set_devices devices;

	set_devices(frame->set, &devices);
	row->device = devices.pmu[row->index];
	for (unsigned core = frame->n_cores; core-- > 0;) {
		if (!counts_device(machine, row->device, core))
			continue;
		row->type = machine->core[core].type;
		add_core(frame, core, devices.columns[row->index], row);
	}
}

static void row_of_several(const struct frame *frame, const struct machine *machine,
			   struct frame_row *row)
{
	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (!in_row(&machine->core[core], row->by, row->index))
			continue;
		row->type = machine->core[core].type;
		add_core(frame, core, UINT64_MAX, row);
	}
}

void frame_row(const struct frame *frame, const struct machine *machine,
	       const struct metrics *metrics, enum frame_by by, unsigned i, struct frame_row *ret)
{
	*ret = (struct frame_row){
		.by = by,
		.index = i,
		.state = CORE_OFF,
		.bound = frame->bound,
	};
	if (by == BY_CORE) {
		row_of_core(frame, machine, i, ret);
		return;
	}
	if (by == BY_DEVICE)
		row_of_device(frame, machine, ret);
	else
		row_of_several(frame, machine, ret);
	metrics_eval(metrics, frame->bound, ret->type, ret->count, ret->metric);
}

struct reading frame_row_metric(const struct frame_row *row, int number)
{
	int column = metrics_column(row->bound, number);

	if (column < 0)
		return (struct reading){ .quality = QUALITY_NONE };
	return row->metric[column];
}
