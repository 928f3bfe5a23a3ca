#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "discover/findings_file.h"

/* As short as it can be and still the same when it is read. NaN is null. */
static void print_number(double value, struct text *ret)
{
	char number[32];

	if (!isfinite(value)) {
		text_printf(ret, "null");
		return;
	}
	for (int digits = 6; digits <= 17; digits += digits < 15 ? 9 : 2) {
		snprintf(number, sizeof(number), "%.*g", digits, value);
		if (strtod(number, NULL) == value)
			break;
	}
	text_printf(ret, "%s", number);
}

static void print_field(const char *name, double value, struct text *ret)
{
	text_printf(ret, ", \"%s\": ", name);
	print_number(value, ret);
}

static void print_text(const char *before, const char *name, const char *value, struct text *ret)
{
	text_printf(ret, "%s\"%s\": ", before, name);
	text_json(ret, value);
}

/* A comma before every item but the first. */
static void next_item(bool *is_first, struct text *ret)
{
	text_printf(ret, "%s\n    ", *is_first ? "" : ",");
	*is_first = false;
}

void findings_print_counters(uint64_t counters, const char *between, struct text *ret)
{
	const char *comma = "";

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(counters >> bit & 1))
			continue;
		text_printf(ret, "%s%u", comma, bit);
		comma = between;
	}
}

static void print_counters(uint64_t counters, struct text *ret)
{
	text_printf(ret, "[");
	findings_print_counters(counters, ", ", ret);
	text_printf(ret, "]");
}

static void print_machine(const struct findings_machine *machine, struct text *ret)
{
	text_printf(ret, "  \"machine\": {");
	print_text("\n    ", "model", machine->model, ret);
	print_text(",\n    ", "cpuid", machine->cpuid, ret);
	print_text(",\n    ", "kernel", machine->kernel, ret);
	print_text(",\n    ", "backend", machine->backend, ret);
	print_text(",\n    ", "m1top", machine->m1top, ret);
	print_text(",\n    ", "date", machine->date, ret);
	text_printf(ret, ",\n    \"simulated\": %s\n  },\n",
		    machine->is_simulated ? "true" : "false");
}

static void print_session(const struct findings_session *session, struct text *ret)
{
	print_text("{", "kernel", session->kernel, ret);
	print_text(", ", "m1top", session->m1top, ret);
	print_text(", ", "date", session->date, ret);
	text_printf(ret, ", \"after_runs\": %" PRIu64 "}", session->after_runs);
}

/* Of one in which nothing was left to do there is nothing to tell. */
static void print_sessions(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	for (unsigned i = 0; i < findings->n_sessions; i++) {
		if (findings->session[i].after_runs == findings->n_runs)
			continue;
		text_printf(ret, "%s", is_first ? "  \"sessions\": [" : "");
		next_item(&is_first, ret);
		print_session(&findings->session[i], ret);
	}
	text_printf(ret, "%s", is_first ? "" : "\n  ],\n");
}

static void print_types(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	text_printf(ret, "  \"types\": [");
	for (unsigned i = 0; i < findings->n_types; i++) {
		const struct findings_type *type = &findings->type[i];

		next_item(&is_first, ret);
		print_text("{", "name", type->name, ret);
		print_text(", ", "cpuid", type->cpuid, ret);
		print_text(", ", "pmu", type->pmu, ret);
		text_printf(ret, ", \"cpu\": %u, \"counters\": %u, \"choosable\": ", type->cpu,
			    type->n_counters);
		print_counters(type->choosable, ret);
		if (type->umask_bits)
			text_printf(ret,
				    ", \"event_bits\": \"0x%" PRIx64
				    "\", \"umask_bits\": \"0x%" PRIx64 "\"",
				    type->event_bits, type->umask_bits);
		text_printf(ret, "}");
	}
	text_printf(ret, "\n  ],\n");
}

static void print_ids(const struct ids *ids, const bool *is_in, struct text *ret)
{
	text_printf(ret, "\"");
	ids_print(ids, is_in, ret);
	text_printf(ret, "\"");
}

/* The user's own kernel, where there is one. */
static void print_own(const struct own_origin *own, struct text *ret)
{
	if (!*own->name)
		return;
	print_text(",\n    \"own\": {", "name", own->name, ret);
	if (*own->assembly) {
		print_text(", ", "asm", own->assembly, ret);
		text_printf(ret, ", \"hash\": \"0x%016" PRIx64 "\"}", own->hash);
		return;
	}
	print_text(", ", "trigger", own->trigger, ret);
	print_text(", ", "control", own->control, ret);
	text_printf(ret, "}");
}

static void print_options(const struct findings *findings, struct text *ret)
{
	const struct experiment_plan *plan = &findings->plan;

	text_printf(ret, "  \"options\": {\n    \"ids\": ");
	print_ids(&findings->ids, NULL, ret);
	text_printf(ret, ",\n    \"kernels\": [");
	for (unsigned i = 0; i < findings->n_kernels; i++) {
		text_printf(ret, "%s", i ? ", " : "");
		text_json(ret, findings->kernel[i]);
	}
	text_printf(ret, "]");
	print_own(&findings->own, ret);
	text_printf(ret, ",\n    \"lengths\": [");
	for (unsigned i = 0; i < plan->n_lengths; i++)
		text_printf(ret, "%s%" PRIu64, i ? ", " : "", plan->length[i]);
	text_printf(ret,
		    "],\n    \"repeats\": %u,\n    \"seed\": \"0x%" PRIx64
		    "\",\n    \"quick\": %s,\n    \"masks\": %s\n  },\n",
		    plan->repeats, plan->seed, findings->is_quick ? "true" : "false",
		    findings->only_masks ? "true" : "false");
}

static void print_rejected(const struct findings *findings, struct text *ret)
{
	text_printf(ret, "  \"complete\": %s,\n  \"seconds\": %.3f,\n  \"runs\": %" PRIu64 ",\n",
		    findings->is_complete ? "true" : "false", (double)findings->spent_ns / 1e9,
		    findings->n_runs);
	text_printf(ret, "  \"rejected\": {");
	for (unsigned i = UNDISTURBED + 1; i < N_DISTURBANCES; i++)
		text_printf(ret, "%s\"%s\": %" PRIu64, i > UNDISTURBED + 1 ? ", " : "",
			    disturbance_name(i), findings->rejected[i]);
	text_printf(ret, "},\n");
}

static void print_notes(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	text_printf(ret, "  \"notes\": {");
	for (unsigned type = 0; type < findings->n_types; type++) {
		const char *before = ": {";

		next_item(&is_first, ret);
		text_json(ret, findings->type[type].name);
		for (unsigned i = 0; i < findings->n_kernels; i++) {
			if (!findings->note[type][i][0])
				continue;
			print_text(before, findings->kernel[i], findings->note[type][i], ret);
			before = ", ";
		}
		text_printf(ret, "%s}", before[0] == ':' ? before : "");
	}
	text_printf(ret, "\n  },\n");
}

/* ---- ids ---- */

static void print_mask(const struct findings_id *of_id, struct text *ret)
{
	const struct mask *mask = &of_id->mask;

	text_printf(ret, ", \"found\": \"%s\", \"counters\": ", mask_source_name(mask->source));
	print_counters(mask->counters, ret);
	if (mask->source == MASK_BY_DRIVER)
		text_printf(ret, ", \"copies\": %u, \"above\": %d", mask->copies,
			    mask->above == 0xff ? -1 : mask->above);
	if (of_id->is_conflict)
		text_printf(ret, ", \"conflict\": true");
}

static void print_id(const struct findings *findings, unsigned type, size_t place, struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, type, place);

	print_text("{", "type", findings->type[type].name, ret);
	text_printf(ret, ", \"id\": \"0x%02" PRIx64 "\"", findings->ids.id[place]);
	if (of_id->is_known) {
		print_text(", ", "name", of_id->label, ret);
		text_printf(ret, ", \"catalogue\": ");
		print_counters(of_id->catalogue, ret);
	}
	if (of_id->is_mask_done)
		print_mask(of_id, ret);
	if (of_id->per_cycle != 0)
		print_field("per_cycle", of_id->per_cycle, ret);
	if (of_id->per_ns != 0)
		print_field("per_ns", of_id->per_ns, ret);
	text_printf(ret, "}");
}

static bool is_worth_a_line(const struct findings_id *of_id)
{
	return of_id->is_known || of_id->mask.source != MASK_UNKNOWN || of_id->per_cycle != 0 ||
	       of_id->per_ns != 0;
}

static void print_events(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	text_printf(ret, "  \"events\": [");
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t i = 0; i < findings->ids.n; i++) {
			if (!is_worth_a_line(findings_of_id(findings, type, i)))
				continue;
			next_item(&is_first, ret);
			print_id(findings, type, i, ret);
		}
	text_printf(ret, "%s],\n", is_first ? "" : "\n  ");
}

static void print_masks_tried(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	text_printf(ret, "  \"masks_tried\": {");
	for (unsigned type = 0; type < findings->n_types; type++) {
		bool *is_done = malloc(findings->ids.n + 1);

		for (size_t i = 0; is_done && i < findings->ids.n; i++)
			is_done[i] = findings_of_id(findings, type, i)->is_mask_done;
		ret->failed |= !is_done;
		next_item(&is_first, ret);
		text_json(ret, findings->type[type].name);
		text_printf(ret, ": ");
		if (is_done)
			print_ids(&findings->ids, is_done, ret);
		free(is_done);
	}
	text_printf(ret, "\n  },\n");
}

/* ---- estimates ---- */

static void print_tried(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	text_printf(ret, "  \"tried\": [");
	for (unsigned type = 0; type < findings->n_types; type++)
		for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++) {
			next_item(&is_first, ret);
			print_text("{", "type", findings->type[type].name, ret);
			print_text(", ", "kernel", findings->kernel[kernel], ret);
			text_printf(ret, ", \"ids\": ");
			print_ids(&findings->ids, findings_tried(findings, type, kernel), ret);
			text_printf(ret, "}");
		}
	text_printf(ret, "%s],\n", is_first ? "" : "\n  ");
}

static void print_both(const char *name, const double *value, struct text *ret)
{
	text_printf(ret, ", \"%s\": [", name);
	print_number(value[0], ret);
	text_printf(ret, ", ");
	print_number(value[1], ret);
	text_printf(ret, "]");
}

static void print_estimate(const struct findings *findings, const struct finding *finding,
			   struct text *ret)
{
	const struct estimate *e = &finding->estimate;

	print_text("{", "type", findings->type[finding->type].name, ret);
	print_text(", ", "kernel", findings->kernel[finding->kernel], ret);
	text_printf(ret, ", \"id\": \"0x%02" PRIx64 "\", \"verdict\": \"%s\"", finding->id,
		    estimate_verdict_name(e->verdict));
	print_field("k", e->k, ret);
	print_field("slope", e->slope, ret);
	print_field("low", e->low, ret);
	print_field("high", e->high, ret);
	print_field("intercept", e->intercept, ret);
	print_field("residual", e->residual, ret);
	print_field("noise", e->noise, ret);
	print_field("largest", e->n_largest, ret);
	print_field("p", e->p, ret);
	text_printf(ret, ", \"pairs\": %" PRIu32, e->n_pairs);
	print_both("counts", finding->count, ret);
	print_both("cycles", finding->cycles, ret);
	if (isfinite(finding->ns[0]) || isfinite(finding->ns[1]))
		print_both("ns", finding->ns, ret);
	text_printf(ret, "}");
}

static void print_estimates(const struct findings *findings, struct text *ret)
{
	bool is_first = true;

	text_printf(ret, "  \"estimates\": [");
	for (size_t i = 0; i < findings->n; i++) {
		next_item(&is_first, ret);
		print_estimate(findings, &findings->finding[i], ret);
	}
	text_printf(ret, "%s]\n", is_first ? "" : "\n  ");
}

void findings_print(const struct findings *findings, struct text *ret)
{
	text_printf(ret, "{\n  \"m1top_discover\": %d,\n", FINDINGS_FORMAT);
	print_machine(&findings->machine, ret);
	print_sessions(findings, ret);
	print_types(findings, ret);
	print_options(findings, ret);
	print_rejected(findings, ret);
	print_notes(findings, ret);
	print_masks_tried(findings, ret);
	print_events(findings, ret);
	print_tried(findings, ret);
	print_estimates(findings, ret);
	text_printf(ret, "}\n");
}
