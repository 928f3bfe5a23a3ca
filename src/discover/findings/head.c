/* What was swept, on which machine and how: the head of a report. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "discover/findings/fields.h"
#include "discover/findings/file.h"

static void machine(struct report_fields *r, const struct node *top)
{
	struct findings_machine *machine = &r->findings->machine;
	const struct node node = field_object(r, top, "machine", GAP_IN_OBJECT);

	field_text(r, &node, "model", machine->model, sizeof(machine->model));
	field_text(r, &node, "cpuid", machine->cpuid, sizeof(machine->cpuid));
	field_text(r, &node, "kernel", machine->kernel, sizeof(machine->kernel));
	field_text(r, &node, "backend", machine->backend, sizeof(machine->backend));
	field_text(r, &node, "m1top", machine->m1top, sizeof(machine->m1top));
	field_text(r, &node, "date", machine->date, sizeof(machine->date));
	field_flag(r, &node, "simulated", &machine->is_simulated);
	field_end(r, node.gap, "}");
}

/* Of one in which nothing was left to do there is nothing to tell. */
static bool is_told(const struct findings *findings, size_t session)
{
	return findings->session[session].after_runs != findings->n_runs;
}

static void session(struct report_fields *r, const struct node *node, size_t i)
{
	struct findings_session *session = &r->findings->session[i];

	if (r->out && !is_told(r->findings, i))
		return;
	if (i == SESSIONS_MAX) {
		report_wrong(r, node->place, "", "too many sessions");
		return;
	}
	field_begin_line(r);
	field_text(r, node, "kernel", session->kernel, sizeof(session->kernel));
	field_text(r, node, "m1top", session->m1top, sizeof(session->m1top));
	field_text(r, node, "date", session->date, sizeof(session->date));
	field_whole(r, node, "after_runs", RUNS_MAX, &session->after_runs);
	field_end(r, node->gap, "}");
	if (!r->out)
		r->findings->n_sessions++;
}

static void sessions(struct report_fields *r, const struct node *top)
{
	bool has_any = false;

	for (unsigned i = 0; r->out && i < r->findings->n_sessions; i++)
		has_any |= is_told(r->findings, i);
	if (!r->rc && field_exists(r, top, "sessions", has_any))
		field_lines(r, top, "sessions", r->findings->n_sessions, session);
}

static void type(struct report_fields *r, const struct node *node, size_t i)
{
	struct findings_type *type = &r->findings->type[i];

	if (i == TYPES_MAX) {
		report_wrong(r, node->place, "", "too many types");
		return;
	}
	field_begin_line(r);
	field_text(r, node, "name", type->name, sizeof(type->name));
	field_text(r, node, "cpuid", type->cpuid, sizeof(type->cpuid));
	field_text(r, node, "pmu", type->pmu, sizeof(type->pmu));
	field_unsigned(r, node, "cpu", CPUS_MAX - 1, &type->cpu);
	field_unsigned(r, node, "counters", 64, &type->n_counters);
	field_counters(r, node, "choosable", &type->choosable);
	if (field_exists(r, node, "umask_bits", type->umask_bits)) {
		field_hex(r, node, "event_bits", 0, &type->event_bits);
		field_hex(r, node, "umask_bits", 0, &type->umask_bits);
	}
	field_end(r, node->gap, "}");
	if (!r->out)
		r->findings->n_types++;
}

/* ---- options ---- */

static void kernels(struct report_fields *r, const struct node *options)
{
	struct findings *findings = r->findings;

	for (const cJSON *item = field_array(r, options, "kernels"); item && !r->rc;
	     item = item->next) {
		if (!cJSON_IsString(item) || !*item->valuestring ||
		    strlen(item->valuestring) >= KERNEL_NAME_MAX ||
		    findings->n_kernels == KERNELS_MAX)
			report_wrong(r, options->place, "kernels", "not a list of kernels");
		else
			snprintf(findings->kernel[findings->n_kernels++], KERNEL_NAME_MAX, "%s",
				 item->valuestring);
	}
	for (unsigned i = 0; r->out && i < findings->n_kernels; i++) {
		field_next(r, GAP_IN_LINE);
		text_json(r->out, findings->kernel[i]);
	}
	field_end(r, GAP_IN_LINE, "]");
}

/* Reports of earlier versions say nothing about a kernel of the user's. */
static void custom(struct report_fields *r, const struct node *options)
{
	struct custom_origin *custom = &r->findings->custom;

	if (r->rc || !field_exists(r, options, "own", *custom->name))
		return;

	const struct node node = field_object(r, options, "own", GAP_IN_LINE);

	field_text(r, &node, "name", custom->name, sizeof(custom->name));
	if (findings_kernel_named(r->findings, custom->name) < 0)
		report_wrong(r, node.place, "name", "none of the kernels");
	if (field_exists(r, &node, "asm", *custom->assembly)) {
		field_text(r, &node, "asm", custom->assembly, sizeof(custom->assembly));
		field_hex(r, &node, "hash", 16, &custom->hash);
	} else {
		field_text(r, &node, "trigger", custom->trigger, sizeof(custom->trigger));
		field_text(r, &node, "control", custom->control, sizeof(custom->control));
	}
	field_end(r, node.gap, "}");
}

static void take_length(struct report_fields *r, const struct node *options, const cJSON *item)
{
	struct experiment_plan *plan = &r->findings->plan;
	double length = field_item(r, item, options, "lengths");
	bool is_longer = !plan->n_lengths || length > (double)plan->length[plan->n_lengths - 1];

	if (!(length >= 1 && length <= 1e12) || length != floor(length) || !is_longer ||
	    plan->n_lengths == LENGTHS_MAX)
		report_wrong(r, options->place, "lengths", "not a list of lengths");
	else
		plan->length[plan->n_lengths++] = (uint64_t)length;
}

static void lengths(struct report_fields *r, const struct node *options)
{
	struct experiment_plan *plan = &r->findings->plan;
	const cJSON *item = field_array(r, options, "lengths");

	for (; item && !r->rc; item = item->next)
		take_length(r, options, item);
	if (!plan->n_lengths)
		report_wrong(r, options->place, "lengths", "empty");
	for (unsigned i = 0; r->out && i < plan->n_lengths; i++) {
		field_next(r, GAP_IN_LINE);
		text_printf(r->out, "%" PRIu64, plan->length[i]);
	}
	field_end(r, GAP_IN_LINE, "]");
}

static void options(struct report_fields *r, const struct node *top)
{
	const struct node node = field_object(r, top, "options", GAP_IN_OBJECT);
	struct findings *findings = r->findings;

	field_ids(r, &node, "ids", NULL);
	kernels(r, &node);
	custom(r, &node);
	lengths(r, &node);
	field_unsigned(r, &node, "repeats", REPEATS_MAX, &findings->plan.repeats);
	field_hex(r, &node, "seed", 0, &findings->plan.seed);
	field_flag(r, &node, "quick", &findings->is_quick);
	field_flag(r, &node, "masks", &findings->only_masks);
	field_end(r, node.gap, "}");
	if (!r->out && findings->plan.repeats < REPEATS_MIN)
		report_wrong(r, node.place, "repeats", "too few");
}

void report_head(struct report_fields *r, const struct node *top)
{
	uint64_t format = FINDINGS_FORMAT;

	field_whole(r, top, "m1top_discover", 1000, &format);
	if (format != FINDINGS_FORMAT)
		report_wrong(r, top->place, "m1top_discover",
			     "a format that this m1top does not know");
	machine(r, top);
	sessions(r, top);
	field_lines(r, top, "types", r->findings->n_types, type);
	options(r, top);
}
