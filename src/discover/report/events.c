/* events.c: event files of ids without a known name */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "discover/findings.h"
#include "discover/ids.h"

enum { EVIDENCE_MAX = 8 }; /* most kernels named in a description */

enum evidence { EVIDENCE_NONE, EVIDENCE_UNSURE, EVIDENCE_THERE };

/* Whether the events are the operating system's, whose counts do not apply to other machines. */
static bool is_of_system(const struct findings *findings, unsigned type)
{
	return strcmp(findings->type[type].pmu, "software") == 0;
}

/* Rate the evidence of a finding. With one kernel alone, time cannot be distinguished from work for certain. */
static enum evidence evidence_of(const struct findings *findings, const struct finding *finding)
{
	size_t place = (size_t)ids_find(&findings->ids, finding->id);

	if (!finding_responds(finding) || is_of_system(findings, finding->type))
		return EVIDENCE_NONE;
	if (!finding_is_of_time(finding))
		return EVIDENCE_THERE;
	return findings_of_id(findings, finding->type, place)->n_conclusive > 1 ? EVIDENCE_THERE
										: EVIDENCE_UNSURE;
}

static bool is_evidence(const struct findings *findings, const struct finding *finding)
{
	return evidence_of(findings, finding) == EVIDENCE_THERE;
}

static bool is_known(const struct findings *findings, size_t place)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		if (findings_of_id(findings, type, place)->is_known)
			return true;
	return false;
}

/* Rank a response: a simple factor, then time, then related ones. */
static unsigned events_rank(const struct finding *finding)
{
	if (finding->estimate.verdict == VERDICT_CONSISTENT)
		return 0;
	return finding_is_of_time(finding) ? 1 : 2;
}

/* Whether `a` is the clearer response: a better rank, then one per trigger, then the narrower interval. */
static bool is_plainer(const struct finding *a, const struct finding *b)
{
	const struct estimate *x = &a->estimate, *y = &b->estimate;
	bool x_is_one = x->k == 1, y_is_one = y->k == 1;

	if (events_rank(a) != events_rank(b))
		return events_rank(a) < events_rank(b);
	if (x_is_one != y_is_one)
		return x_is_one;
	return (x->high - x->low) / fabs(x->slope) < (y->high - y->low) / fabs(y->slope);
}

/* Find the clearest response. @id  has evidence */
static const struct finding *plainest(const struct findings *findings, uint64_t id)
{
	const struct finding *best = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->id == id && is_evidence(findings, finding) &&
		    (!best || is_plainer(finding, best)))
			best = finding;
	}
	return best;
}

/* Return the counters that are right on every type; 0: unknown. */
static uint64_t events_counters_of(const struct findings *findings, size_t place)
{
	uint64_t counters = UINT64_MAX;

	for (unsigned type = 0; type < findings->n_types; type++) {
		const struct mask *mask = &findings_of_id(findings, type, place)->mask;

		if (mask->source != MASK_UNKNOWN && mask->counters)
			counters &= mask->counters;
	}
	return counters == UINT64_MAX ? 0 : counters;
}

static void print_name(const struct findings *findings, const struct finding *finding,
		       const struct json *json)
{
	const char *kernel = finding_is_of_time(finding)
				     ? estimate_verdict_name[finding->estimate.verdict]
				     : findings->kernel[finding->kernel];

	json_printf(json, "EventName", "\"UNKNOWN_%02" PRIX64 "_", finding->id);
	for (; *kernel; kernel++)
		text_printf(json->out, "%c", ascii_isalnum(*kernel) ? *kernel : '_');
	text_printf(json->out, "\"");
}

static void print_response(const struct findings *findings, const struct finding *finding,
			   struct text *ret)
{
	const struct estimate *e = &finding->estimate;
	const char *type = findings->type[finding->type].name;

	if (e->verdict == VERDICT_CONSISTENT)
		text_printf(ret, "%s %g on %s (%.6g to %.6g)", findings->kernel[finding->kernel],
			    e->k, type, e->low, e->high);
	else
		text_printf(ret, "~%s %.6g to %.6g on %s", findings->kernel[finding->kernel],
			    e->low, e->high, type);
}

/* Append the responses of one rank. @n  number appended so far; @return the new number */
static unsigned print_responses(const struct findings *findings, uint64_t id, unsigned of_rank,
				unsigned n, struct text *ret)
{
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->id != id || !is_evidence(findings, finding) ||
		    events_rank(finding) != of_rank || n++ >= EVIDENCE_MAX)
			continue;
		text_printf(ret, n > 1 ? ", " : "Counts per trigger: ");
		print_response(findings, finding, ret);
	}
	return n;
}

/* Append "always 0.25 per cycle on E, 0.5 per ns on P". */
static void print_paces(const struct findings *findings, size_t place, struct text *ret)
{
	const char *before = ret->n ? "; always" : "Always";

	for (unsigned type = 0; type < findings->n_types; type++) {
		const struct findings_id *of_id = findings_of_id(findings, type, place);
		char pace[48];

		if (is_of_system(findings, type) || !*findings_pace_text(of_id, pace, sizeof(pace)))
			continue;
		text_printf(ret, "%s %s on %s", before, pace, findings->type[type].name);
		before = ",";
	}
}

static void print_evidence(const struct findings *findings, size_t place, struct text *ret)
{
	uint64_t id = findings->ids.id[place];
	unsigned n = print_responses(findings, id, 0, 0, ret);

	n = print_responses(findings, id, 2, n, ret);
	if (n > EVIDENCE_MAX)
		text_printf(ret, " and %u more", n - EVIDENCE_MAX);
	print_paces(findings, place, ret);
}

static void print_code(const struct findings_type *type, uint64_t id, const struct json *json)
{
	uint64_t umask = raw_id_part(id, type->umask_bits);

	json_printf(json, "EventCode", "\"0x%02" PRIx64 "\"",
		    type->umask_bits ? raw_id_part(id, type->event_bits) : id);
	if (umask)
		json_printf(json, "UMask", "\"0x%02" PRIx64 "\"", umask);
}

static void print_event(const struct findings *findings, size_t place,
			const struct finding *finding, struct text *ret)
{
	const struct json json = { ret, "\n    ", ": " };
	uint64_t counters = events_counters_of(findings, place);
	AUTO_TEXT struct text list = { 0 }, what = { 0 }, source = { 0 };

	findings_print_counters(counters, ",", &list);
	print_evidence(findings, place, &what);
	text_printf(&source, "m1top discover on %s, %s", findings->machine.model,
		    findings->machine.date);
	json_begin(&json, NULL, "\n  {");
	print_name(findings, finding, &json);
	print_code(&findings->type[finding->type], finding->id, &json);
	if (counters)
		json_text(&json, "Counter", list.failed ? "" : list.bytes);
	json_text(&json, "BriefDescription", what.failed ? "" : what.bytes);
	json_text(&json, "Source", source.failed ? "" : source.bytes);
	json_end(&json, "\n  }");
}

/* Find the ids with evidence first; of tens of thousands most respond to nothing. */
static enum evidence *weigh_evidence(const struct findings *findings)
{
	enum evidence *evidence = calloc(findings->ids.n + 1, sizeof(*evidence));

	for (size_t i = 0; evidence && i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];
		long place = ids_find(&findings->ids, finding->id);
		enum evidence of_one = evidence_of(findings, finding);

		if (of_one > evidence[place])
			evidence[place] = of_one;
	}
	return evidence;
}

void findings_print_events(const struct findings *findings, struct text *ret,
			   struct findings_events *ret_events)
{
	AUTO_FREE enum evidence *evidence = weigh_evidence(findings);
	struct findings_events events = { 0 };
	unsigned *const by_rank[] = { &events.n_factors, &events.n_time, &events.n_related };

	ret->failed |= !evidence;
	text_printf(ret, "[");
	for (size_t i = 0; evidence && i < findings->ids.n; i++) {
		const struct finding *finding;

		if (!evidence[i] || is_known(findings, i))
			continue;
		if (evidence[i] == EVIDENCE_UNSURE) {
			events.n_unsure++;
			continue;
		}
		finding = plainest(findings, findings->ids.id[i]);
		print_event(findings, i, finding, ret);
		++*by_rank[events_rank(finding)];
	}
	text_printf(ret, "\n]\n");
	*ret_events = events;
}
