/* m1top discover compare A B: what two reports disagree on, with the exit status of diff. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/rights.h"
#include "cmd/discover/discover.h"
#include "cmd/shared/setup.h"
#include "discover/findings/file.h"

/* What makes sense without a sweep. */
static const char *const allowed[] = { "output", "force", "json" };

static int check_options(const struct options *options, struct err *err)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		bool is_allowed = !options->is_given[row - option_table];

		for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
			is_allowed |= strcmp(row->name, allowed[i]) == 0;
		if (!is_allowed)
			return err_set(err, EINVAL,
				       "discover compare: --%s is only for sweeps; compare takes "
				       "-j, -o and --force",
				       row->name);
	}
	if (options->n_words != 3)
		return err_set(err, EINVAL, "discover compare: needs two reports");
	return 0;
}

/* ---- JSON ---- */

static void print_text(const char *name, const char *value, struct text *ret)
{
	text_printf(ret, "\"%s\": ", name);
	text_json(ret, value);
}

static void print_number(const char *name, double value, struct text *ret)
{
	if (isfinite(value))
		text_printf(ret, ", \"%s\": %.15g", name, value);
	else
		text_printf(ret, ", \"%s\": null", name);
}

static void print_report(const char *name, const char *path, const struct findings *findings,
			 struct text *ret)
{
	text_printf(ret, "  \"%s\": {", name);
	print_text("file", path, ret);
	text_printf(ret, ", ");
	print_text("model", findings->machine.model, ret);
	text_printf(ret, ", ");
	print_text("kernel", findings->machine.kernel, ret);
	text_printf(ret, ", ");
	print_text("date", findings->machine.date, ret);
	text_printf(ret, "},\n");
}

static void print_side(const struct findings_difference *difference, unsigned side,
		       struct text *ret)
{
	const struct estimate *e = &difference->of[side];

	text_printf(ret, ", \"%c\": ", "ab"[side]);
	if (!difference->kernel) {
		text_printf(ret, "[");
		findings_print_counters(difference->counters[side], ", ", ret);
		text_printf(ret, "]");
		return;
	}
	text_printf(ret, "{");
	print_text("verdict", estimate_verdict_name(e->verdict), ret);
	print_number("k", e->k, ret);
	print_number("slope", e->slope, ret);
	print_number("low", e->low, ret);
	print_number("high", e->high, ret);
	text_printf(ret, "}");
}

static void print_difference(const struct findings *a, const struct findings_difference *difference,
			     struct text *ret)
{
	const struct findings_id *of_id =
		findings_of_id(a, difference->type[0], (size_t)ids_find(&a->ids, difference->id));

	text_printf(ret, "\n    {");
	print_text("type", a->type[difference->type[0]].name, ret);
	text_printf(ret, ", \"id\": \"0x%02" PRIx64 "\", ", difference->id);
	print_text("name", of_id->is_known ? of_id->label : NULL, ret);
	text_printf(ret, ", ");
	print_text("kernel", difference->kernel, ret);
	print_side(difference, 0, ret);
	print_side(difference, 1, ret);
	text_printf(ret, "}");
}

static void print_json(const struct options *options, const struct findings *of,
		       const struct findings_comparison *compared, struct text *ret)
{
	text_printf(ret, "{\n");
	print_report("a", options->word[1], &of[0], ret);
	print_report("b", options->word[2], &of[1], ret);
	text_printf(ret, "  \"compared\": %zu,\n  \"same\": %zu,\n  ", compared->n_compared,
		    compared->n_same);
	print_text("apart", compared->apart, ret);
	text_printf(ret, ",\n  \"differences\": [");
	for (size_t i = 0; i < compared->n; i++) {
		text_printf(ret, "%s", i ? "," : "");
		print_difference(&of[0], &compared->difference[i], ret);
	}
	text_printf(ret, "%s]\n}\n", compared->n ? "\n  " : "");
}

/* ---- all of it ---- */

static int print(const struct options *options, const struct findings *of,
		 const struct findings_comparison *compared, struct err *err)
{
	struct text text = { 0 };
	struct sink *sink;
	int rc = sink_open(options->output ? options->output : "-", options->output_mode, &sink,
			   err);

	if (rc == -EEXIST)
		return err_set(err, EEXIST, "%s exists: --force overwrites it", options->output);
	if (rc)
		return rc;
	if (options->json) {
		print_json(options, of, compared, &text);
	} else {
		sink_show(sink);
		discover_print_comparison(of, compared, &text);
	}
	return discover_put(sink, &text, err);
}

static int compare(const struct options *options, bool *ret_differ, struct err *err)
{
	struct findings of[2] = { 0 };
	struct findings_comparison compared = { 0 };
	int rc = check_options(options, err);

	if (!rc)
		rc = setup_keep_rights(options, NULL, RIGHT_FILES, err);
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = discover_file_read(options->word[1 + i], &of[i], err);
	if (!rc)
		rc = findings_compare(&of[0], &of[1], &compared, err);
	if (!rc)
		rc = print(options, of, &compared, err);
	*ret_differ = compared.n;
	findings_compared_fini(&compared);
	findings_fini(&of[0]);
	findings_fini(&of[1]);
	return rc;
}

int discover_compare(const struct options *options)
{
	enum { SAME, DIFFERENT, TROUBLE }; /* as of diff */
	struct err err = { "" };
	bool differ;

	if (compare(options, &differ, &err)) {
		fprintf(stderr, "m1top: %s\n", err.text);
		return TROUBLE;
	}
	return differ ? DIFFERENT : SAME;
}
