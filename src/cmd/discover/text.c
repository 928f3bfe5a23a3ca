/* Text output of discover. */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/text.h"
#include "cmd/discover/discover.h"
#include "cmd/shared/listing.h"
#include "cmd/shared/standard_output.h"

void discover_print_heading(void)
{
	printf("%-5s %-6s %-28s %-11s %-22s %-8s %s\n", "TYPE", "ID", "NAME", "COUNTERS", "KERNEL",
	       "VERDICT", "PER TRIGGER");
}

const char *discover_counters_text(const struct mask *mask, char *buf, size_t size)
{
	if (mask->source == MASK_UNKNOWN)
		snprintf(buf, size, "-");
	else if (mask->counters)
		counters_text(mask->counters, buf, size);
	else
		snprintf(buf, size, "%u of them", mask->copies);
	return buf;
}

const char *discover_verdict_text(const struct estimate *estimate, char *buf, size_t size)
{
	if (estimate->verdict == VERDICT_CONSISTENT)
		snprintf(buf, size, "k=%g", estimate->k);
	else
		snprintf(buf, size, "%s", estimate_verdict_name(estimate->verdict));
	return buf;
}

int discover_digits(const struct estimate *estimate)
{
	double width = estimate->high - estimate->low;
	int digits = width > 0 ? (int)ceil(-log10(width)) + 1 : 3;

	return digits < 0 ? 0 : digits > 6 ? 6 : digits;
}

static void print_interval(const struct estimate *e)
{
	int digits = discover_digits(e);

	printf("%.*f (%.*f to %.*f)", digits, e->slope, digits, e->low, digits, e->high);
}

static const struct findings_id *id_of(const struct findings *findings,
				       const struct finding *finding)
{
	long place = ids_find(&findings->ids, finding->id);

	return findings_of_id(findings, finding->type, (size_t)place);
}

static void print_id(const struct findings *findings, unsigned type, size_t place)
{
	const struct findings_id *of_id = findings_of_id(findings, type, place);
	char counters[64], id[24];

	snprintf(id, sizeof(id), "0x%02" PRIx64, findings->ids.id[place]);
	printf("%-5s %-6s %-28s %-11s ", findings->type[type].name, id,
	       of_id->is_known ? of_id->label : "-",
	       discover_counters_text(&of_id->mask, counters, sizeof(counters)));
}

/* Print the id's cells. @has_id  false: same id as the row above */
static void print_id_of(const struct findings *findings, const struct finding *finding, bool has_id)
{
	if (has_id)
		print_id(findings, finding->type, (size_t)ids_find(&findings->ids, finding->id));
	else
		printf("%*s", 5 + 1 + 6 + 1 + 28 + 1 + 11 + 1, "");
}

static void print_row(const struct findings *findings, const struct finding *finding, bool has_id)
{
	char verdict[32], pace[48];

	print_id_of(findings, finding, has_id);
	printf("%-22s %-8s ", findings->kernel[finding->kernel],
	       discover_verdict_text(&finding->estimate, verdict, sizeof(verdict)));
	print_interval(&finding->estimate);
	findings_pace_text(id_of(findings, finding), pace, sizeof(pace));
	if (has_id && *pace)
		printf("; always %s", pace);
	putchar('\n');
}

void discover_print_kernel(const struct findings *findings, unsigned type, unsigned kernel)
{
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->type == type && finding->kernel == kernel && finding_responds(finding))
			print_row(findings, finding, true);
	}
}

/* Print a count of time as one row for all kernels: it tells nothing about a single one. */
static void print_time(const struct findings *findings, const struct finding *finding)
{
	char pace[48];

	print_id_of(findings, finding, true);
	printf("%-22s %-8s %s\n", "all", estimate_verdict_name(finding->estimate.verdict),
	       findings_pace_text(id_of(findings, finding), pace, sizeof(pace)));
}

void discover_print_table(const struct findings *findings)
{
	const struct finding *last = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];
		bool is_new = !last || !(last->type == finding->type && last->id == finding->id);

		if (!finding_responds(finding))
			continue;
		if (!last)
			discover_print_heading();
		last = finding;
		if (!finding_is_of_time(finding))
			print_row(findings, finding, is_new);
		else if (is_new)
			print_time(findings, finding);
	}
}

static void print_mask(const struct findings *findings, unsigned type, size_t place)
{
	const struct findings_id *of_id = findings_of_id(findings, type, place);

	print_id(findings, type, place);
	printf("%s\n", of_id->mask.source == MASK_BY_DRIVER ? "driver" : "counted");
}

void discover_print_masks(const struct findings *findings)
{
	printf("%-5s %-6s %-28s %-11s %s\n", "TYPE", "ID", "NAME", "COUNTERS", "FOUND BY");
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t i = 0; i < findings->ids.n; i++)
			if (findings_of_id(findings, type, i)->mask.source != MASK_UNKNOWN)
				print_mask(findings, type, i);
}

/* ---- the end ---- */

static void print_conflicts(const struct findings *findings)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t i = 0; i < findings->ids.n; i++) {
			const struct findings_id *of_id = findings_of_id(findings, type, i);
			char found[64], known[64];

			if (!of_id->is_conflict)
				continue;
			printf("%s 0x%02" PRIx64 " %s counts on %s; the catalogue has %s\n",
			       findings->type[type].name, findings->ids.id[i], of_id->label,
			       counters_text(of_id->mask.counters, found, sizeof(found)),
			       counters_text(of_id->catalogue, known, sizeof(known)));
		}
}

const char *discover_rejected_text(const struct findings *findings, char *buf, size_t size)
{
	const char *comma = "; rejected: ";
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = UNDISTURBED + 1; i < N_DISTURBANCES && n < size; i++) {
		if (!findings->rejected[i])
			continue;
		n += (size_t)snprintf(buf + n, size - n, "%s%" PRIu64 " %s", comma,
				      findings->rejected[i], disturbance_name(i));
		comma = ", ";
	}
	return buf;
}

static void print_plural(size_t n, const char *what, const char *end, FILE *out)
{
	fprintf(out, "%zu %s%s%s", n, what, n == 1 ? "" : "s", end);
}

static void print_notes(const struct findings *findings)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (unsigned i = 0; i < findings->n_kernels; i++)
			if (findings->note[type][i][0])
				printf("%s %s: %s\n", findings->type[type].name,
				       findings->kernel[i], findings->note[type][i]);
}

void discover_print_end(const struct findings *findings)
{
	char rejected[200];

	print_conflicts(findings);
	print_notes(findings);
	print_plural(findings->ids.n, "id", ", ", stdout);
	if (!findings->only_masks)
		print_plural(findings->n_kernels, "kernel", ", ", stdout);
	print_plural(findings->n_types, "core type", findings->only_masks ? "\n" : ": ", stdout);
	if (findings->only_masks)
		return;
	size_t n = findings_n_responding(findings);

	print_plural(n, "id", n == 1 ? " responds\n" : " respond\n", stdout);
	printf("%" PRIu64 " runs in %.1f s%s\n", findings->n_runs, (double)findings->spent_ns / 1e9,
	       discover_rejected_text(findings, rejected, sizeof(rejected)));
}

void discover_print_events(const struct findings_events *events, const char *path)
{
	unsigned n = events->n_factors + events->n_related + events->n_time;

	fprintf(stderr, "m1top: ");
	print_plural(n, "event", " in ", stderr);
	fprintf(stderr, "%s", path);
	if (n)
		fprintf(stderr, ": %u by a factor, %u only related, %u of time", events->n_factors,
			events->n_related, events->n_time);
	if (events->n_unsure)
		fprintf(stderr, "; %u of time left out: that needs more than one kernel",
			events->n_unsure);
	fprintf(stderr, "\n");
}

/* ---- progress ---- */

const char *discover_left_text(uint64_t left_ns, char *buf, size_t size)
{
	uint64_t seconds = left_ns / NS_PER_S;

	if (left_ns == UINT64_MAX)
		buf[0] = '\0';
	else if (seconds >= 120)
		snprintf(buf, size, "%" PRIu64 " min", (seconds + 30) / 60);
	else
		snprintf(buf, size, "%" PRIu64 " s", seconds + 1);
	return buf;
}

void discover_print_bar(const struct sweep_progress *progress, bool is_ascii)
{
	enum { WIDTH = 24 };
	int done = (int)(progress->share * WIDTH);
	char left[32];

	standard_output_clear_line(stderr);
	fprintf(stderr, "[");
	for (int i = 0; i < WIDTH; i++)
		fprintf(stderr, "%s", i >= done ? " " : is_ascii ? "#" : "█");
	fprintf(stderr, "] %3.0f %%  %s %s", progress->share * 100, progress->type,
		*progress->kernel ? progress->kernel : "counters of each id");
	if (*discover_left_text(progress->left_ns, left, sizeof(left)))
		fprintf(stderr, ", %s left", left);
	fflush(stderr);
}

/* ---- comparison ---- */

static void print_side(const struct findings_difference *difference, unsigned side,
		       struct text *ret)
{
	const struct estimate *e = &difference->of[side];
	char text[64], verdict[32];

	if (!difference->kernel)
		counters_text(difference->counters[side], text, sizeof(text));
	else if (e->verdict == VERDICT_RELATED)
		snprintf(text, sizeof(text), "related %.3g", e->slope);
	else
		snprintf(text, sizeof(text), "%s",
			 discover_verdict_text(e, verdict, sizeof(verdict)));
	text_printf(ret, side ? " %s\n" : " %-16s", text);
}

void discover_print_comparison(const struct findings *of,
			       const struct findings_comparison *compared, struct text *ret)
{
	for (unsigned i = 0; i < 2; i++)
		text_printf(ret, "%c: %s, %s, %s\n", "AB"[i], of[i].machine.model,
			    of[i].machine.kernel, of[i].machine.date);
	if (compared->n)
		text_printf(ret, "%-5s %-6s %-28s %-22s %-16s %s\n", "TYPE", "ID", "NAME", "KERNEL",
			    "A", "B");
	for (size_t i = 0; i < compared->n; i++) {
		const struct findings_difference *difference = &compared->difference[i];
		const struct findings_id *of_id = findings_of_id(
			&of[0], difference->type[0], (size_t)ids_find(&of[0].ids, difference->id));
		char id[24];

		snprintf(id, sizeof(id), "0x%02" PRIx64, difference->id);
		text_printf(ret, "%-5s %-6s %-28s %-22s", of[0].type[difference->type[0]].name, id,
			    of_id->is_known ? of_id->label : "-",
			    difference->kernel ? difference->kernel : "(counters)");
		print_side(difference, 0, ret);
		print_side(difference, 1, ret);
	}
	text_printf(ret, "%zu answers in both: %zu agree, %zu differ\n", compared->n_compared,
		    compared->n_same, compared->n);
	if (compared->apart)
		text_printf(ret, "the kernel %s differs between them and was not compared\n",
			    compared->apart);
}

/* ---- kernels ---- */

void discover_list_kernels(const struct options *options)
{
	struct listing listing = {
		.heading = { "kernel", "here", "what" },
		.n_columns = 3,
		.n_in_table = 3,
	};

	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		const char *const cell[] = { kernel->name, kernel_runs_here(kernel) ? "yes" : "no",
					     kernel->what };

		listing_add(&listing, cell);
	}
	if (options->json)
		listing_print_json(&listing);
	else
		listing_print(&listing);
	listing_fini(&listing);
}
