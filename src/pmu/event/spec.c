/* spec.c: names of events, and the parser of -e: each item of the list becomes a struct event_spec. */
#include "pmu/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/event/make.h"

enum { SHORT_MAX = 8, WORDS_MAX = 8, NEAR_LENGTH_MAX = 80 };

/* Names of generic events, from perf, sysfs and Arm; one row per event. */
static const char *const synonyms[][4] = {
	{ "cycles", "cpu-cycles", "cpu_cycles" },
	{ "instructions", "inst_retired" },
	{ "branches", "branch-instructions" },
	{ "page-faults", "faults" },
	{ "context-switches", "cs" },
	{ "cpu-migrations", "migrations" },
	{ NULL }, /* returned by event_synonyms_of for other names */
};

const char *const *event_synonyms_of(const char *name)
{
	size_t row = 0;

	for (; synonyms[row][0]; row++)
		for (size_t i = 0; synonyms[row][i]; i++)
			if (ascii_casecmp(synonyms[row][i], name) == 0)
				return synonyms[row];
	return synonyms[row];
}

struct name_words {
	const char *start[WORDS_MAX];
	size_t n_chars[WORDS_MAX];
	size_t n;
};

static void split_words(const char *name, struct name_words *words)
{
	for (const char *c = name; *c && words->n < WORDS_MAX;) {
		size_t n = strcspn(c, "-_./:=, ");

		if (n) {
			words->start[words->n] = c;
			words->n_chars[words->n++] = n;
		}
		c += n + (c[n] != '\0');
	}
}

static size_t joined_length(const struct name_words *words, size_t gap)
{
	size_t length = words->n ? (words->n - 1) * gap : 0;

	for (size_t i = 0; i < words->n; i++)
		length += words->n_chars[i];
	return length;
}

static void shorten_longest(struct name_words *words)
{
	size_t longest = 0;

	for (size_t i = 1; i < words->n; i++)
		if (words->n_chars[i] >= words->n_chars[longest])
			longest = i;
	do /* by a whole character */
		words->n_chars[longest]--;
	while ((words->start[longest][words->n_chars[longest]] & 0xc0) == 0x80);
}

void event_abbreviate(const char *name, char *ret, size_t size)
{
	struct name_words words = { .n = 0 };

	snprintf(ret, size, "%s", name);
	if (strlen(name) <= SHORT_MAX)
		return;
	split_words(name, &words);

	size_t gap = words.n <= 3; /* more words leave no room for dashes */

	while (joined_length(&words, gap) > SHORT_MAX)
		shorten_longest(&words);
	ret[0] = '\0';
	for (size_t i = 0; i < words.n; i++)
		buf_printf(ret, size, "%s%.*s", i && gap ? "-" : "", (int)words.n_chars[i],
			   words.start[i]);
}

/* Compute the Levenshtein distance, without regard to case. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[NEAR_LENGTH_MAX + 1];
	size_t n = strlen(b);

	if (n > NEAR_LENGTH_MAX)
		return NEAR_LENGTH_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned differs = ascii_lower(a[i - 1]) != ascii_lower(b[j - 1]);
			unsigned up = row[j], least = (up < row[j - 1] ? up : row[j - 1]) + 1;

			row[j] = least < diagonal + differs ? least : diagonal + differs;
			diagonal = up;
		}
	}
	return row[n];
}

/* Whether all words of the wanted text are in the name, in any order, as in the picker's search. */
static bool has_words(const char *name, const char *wanted)
{
	struct name_words words = { .n = 0 };
	char word[NEAR_LENGTH_MAX];

	split_words(wanted, &words);
	for (size_t i = 0; i < words.n; i++) {
		snprintf(word, sizeof(word), "%.*s", (int)words.n_chars[i], words.start[i]);
		if (!ascii_casestr(name, word))
			return false;
	}
	return words.n > 0;
}

/* Rate a name; one that contains the wanted text is nearer than one with similar spelling. */
static unsigned distance(const char *wanted, const char *name)
{
	if (strlen(wanted) >= 3 && has_words(name, wanted))
		return 0;
	return edit_distance(wanted, name);
}

void near_names_offer(struct near_names *near, const char *name)
{
	unsigned max = 1 + (unsigned)strlen(near->wanted) / 3;
	unsigned d = distance(near->wanted, name), at = near->n;

	for (unsigned i = 0; i < near->n; i++)
		if (ascii_casecmp(near->name[i], name) == 0)
			return;
	while (at && near->distance[at - 1] > d)
		at--;
	if (d > max || at == ARRAY_SIZE(near->name))
		return;
	near->n += near->n < ARRAY_SIZE(near->name);
	for (unsigned i = near->n - 1; i > at; i--) {
		near->name[i] = near->name[i - 1];
		near->distance[i] = near->distance[i - 1];
	}
	near->name[at] = name;
	near->distance[at] = d;
}

void near_names_text(const struct near_names *near, struct text *text)
{
	for (unsigned i = 0; i < near->n; i++)
		text_printf(text, "%s%s", i ? ", " : "; near: ", near->name[i]);
}

/* Part of the user's text. */
struct item {
	const char *start;
	size_t n;
	unsigned number; /* 1-based, for messages */
};

static int bad_item(const struct item *item, struct err *err, const char *why)
{
	bool cut = item->n > EVENT_NAME_MAX;

	return err_set(err, EINVAL, "event %u, \"%.*s%s\": %s", item->number,
		       cut ? EVENT_NAME_MAX : (int)item->n, item->start, cut ? "…" : "", why);
}

static void trim(struct item *item)
{
	while (item->n && ascii_isspace(item->start[0])) {
		item->start++;
		item->n--;
	}
	while (item->n && ascii_isspace(item->start[item->n - 1]))
		item->n--;
}

/* Position in the text, and the braces around it. */
struct spec_reader {
	const char *rest; /* NULL: at the end */
	unsigned n_groups;
	bool in_group;
	struct item mods; /* modifiers behind the closing brace */
};

/* Find the first of these characters outside slashes, else the end. */
static const char *find_outside_terms(const char *from, const char *wanted)
{
	bool in_terms = false;

	for (; *from && (in_terms || !strchr(wanted, *from)); from++)
		in_terms ^= *from == '/';
	return from;
}

static int open_group(struct spec_reader *reader, const struct item *item, struct err *err)
{
	const char *end = find_outside_terms(reader->rest, "{}");

	if (*end != '}')
		return bad_item(item, err, "the brace is not closed ({a,b})");
	reader->mods = (struct item){ end + 1, strcspn(end + 1, ","), item->number };
	trim(&reader->mods);
	reader->in_group = true;
	reader->n_groups++;
	return 0;
}

/* Continue behind the closing brace of a group's last item. */
static void close_group(struct spec_reader *reader, const char *brace)
{
	const char *end = find_outside_terms(brace, ",");

	reader->in_group = false;
	reader->rest = *end ? end + 1 : NULL;
}

/* @return 1; 0 at the end; -EINVAL */
static int next_item(struct spec_reader *reader, struct item *item, struct err *err)
{
	int rc = 0;

	if (!reader->rest)
		return 0;
	item->number++;
	item->start = reader->rest;
	item->n = strlen(reader->rest);
	trim(item);
	if (!reader->in_group && item->start[0] == '{') {
		reader->rest = item->start + 1;
		rc = open_group(reader, item, err);
	}

	const char *end = find_outside_terms(reader->rest, reader->in_group ? ",}" : ",{}");

	item->start = reader->rest;
	item->n = (size_t)(end - reader->rest);
	trim(item);
	reader->rest = *end ? end + 1 : NULL;
	if (!rc && !reader->in_group && (*end == '{' || *end == '}'))
		rc = bad_item(item, err, "braces stand around a list of events ({a,b})");
	return rc ? rc : 1;
}

static int spec_copy(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return -ENAMETOOLONG;
	memcpy(to, from, n);
	to[n] = '\0';
	return 0;
}

/* Parse "PMC5=" at the start of `body`: set the slot and remove the prefix. */
static int take_slot(const struct item *item, struct item *body, struct event_spec *spec,
		     struct err *err)
{
	size_t digits = 0;
	unsigned slot = 0;

	spec->slot = -1;
	if (body->n < 3 || ascii_ncasecmp(body->start, "PMC", 3) != 0)
		return 0;
	while (3 + digits < body->n && digits < 4 &&
	       isdigit((unsigned char)body->start[3 + digits]))
		slot = slot * 10 + (unsigned)(body->start[3 + digits++] - '0');
	if (!digits || 3 + digits >= body->n || body->start[3 + digits] != '=')
		return 0;
	if (slot >= CORE_SLOTS_MAX)
		return bad_item(item, err, "columns are PMC0 to PMC15");
	spec->slot = (int)slot;
	body->start += 3 + digits + 1;
	body->n -= 3 + digits + 1;
	trim(body);
	return 0;
}

/* perf's modifiers that change no count here: for sampling, for the hosts of guests, for groups that may or must not be
 * split. */
static const char ignored_modifiers[] = "pPSWHDeb";

/* Parse "u", "k" or both, behind a colon or a slash; "h", the hypervisor, is counted with the kernel. */
static int read_modifiers(const struct item *item, const char *mods, size_t n,
			  struct event_spec *spec, struct err *err)
{
	bool user = false, kernel = false;

	for (size_t i = 0; i < n; i++) {
		if (!strchr("ukh", mods[i]) && !strchr(ignored_modifiers, mods[i]))
			return bad_item(
				item, err,
				"the only modifiers are :u and :k, :h beside these, and perf's :p, "
				":P, :S, :W, :H, :D, :e and :b, which change no count");
		user |= mods[i] == 'u';
		kernel |= mods[i] == 'k';
	}
	if (!n)
		return bad_item(item, err, "nothing follows the colon (such as :u or :k)");
	if (memchr(mods, 'h', n) && !user && !kernel)
		return bad_item(item, err, "the hypervisor alone cannot be counted (:ukh)");
	if (user != kernel)
		spec->privilege = user ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
	return 0;
}

/* Terms that do not affect counts. Source: Linux tools/perf/util/parse-events.l */
static const char *const sampling_terms[] = {
	"time",    "call-graph", "stack-size", "branch_type",  "max-stack",  "nr",
	"inherit", "no-inherit", "overwrite",  "no-overwrite", "aux-output", "aux-sample-size",
};

static bool is_sampling(const char *term)
{
	size_t n = strcspn(term, "=");

	for (size_t i = 0; i < ARRAY_SIZE(sampling_terms); i++)
		if (strlen(sampling_terms[i]) == n && strncmp(sampling_terms[i], term, n) == 0)
			return true;
	return false;
}

/* Remove name= and sampling terms from the terms. */
static int take_perf_terms(const struct item *item, struct event_spec *spec, struct err *err)
{
	char copy[sizeof(spec->text)], kept[sizeof(spec->text)] = "";
	char *rest = copy;

	snprintf(copy, sizeof(copy), "%s", spec->text);
	for (char *term; (term = strsep(&rest, ","));) {
		if (strncmp(term, "name=", 5) == 0) {
			size_t quote = strcspn(term, "'\"");

			snprintf(spec->label, sizeof(spec->label), "%s",
				 term + 5 + (term[quote] && quote == 5));
			spec->label[strcspn(spec->label, "'\"")] = '\0';
		} else if (strncmp(term, "period=", 7) == 0 || strncmp(term, "freq=", 5) == 0) {
			uint64_t *ret = *term == 'p' ? &spec->period : &spec->freq;

			if (num_parse_u64(strchr(term, '=') + 1, ret) || !*ret ||
			    spec->period > SAMPLE_PERIOD_MAX || spec->freq > SAMPLE_FREQ_MAX)
				return bad_item(
					item, err,
					"period= must be 1 to 1000000000000, freq= 1 to 100000");
		} else if (is_sampling(term)) {
			spec->has_sampling = true;
		} else {
			buf_printf(kept, sizeof(kept), "%s%s", *kept ? "," : "", term);
		}
	}
	if (spec->label[0] || spec->has_sampling || spec->period || spec->freq)
		memcpy(spec->text, kept, sizeof(kept));
	return 0;
}

/* Parse pmu/terms/ and the modifiers behind it. */
static int read_terms(const struct item *item, const struct item *body, const char *slash,
		      struct event_spec *spec, struct err *err)
{
	const char *end = body->start + body->n;
	const char *last = memrchr(body->start, '/', body->n);
	const char *mods = last + 1;

	if (last == slash)
		return bad_item(item, err, "the second slash is missing (PMU/terms/)");
	if (slash == body->start || last == slash + 1)
		return bad_item(item, err, "PMU/terms/ needs a PMU and terms");
	/* the displayed name is the whole item */
	if (body->n + sizeof(":u") > EVENT_NAME_MAX)
		return bad_item(item, err, "too long");
	if (spec_copy(spec->pmu, sizeof(spec->pmu), body->start, (size_t)(slash - body->start)) <
		    0 ||
	    spec_copy(spec->text, sizeof(spec->text), slash + 1, (size_t)(last - slash - 1)) < 0)
		return bad_item(item, err, "too long");
	if (take_perf_terms(item, spec, err) < 0)
		return -EINVAL;
	spec->is_terms = spec->text[0];
	if (!spec->is_terms) /* "cycles/name=c/" is plain cycles */
		snprintf(spec->text, sizeof(spec->text), "%s", spec->pmu);
	if (mods == end)
		return 0;
	mods += *mods == ':';
	return read_modifiers(item, mods, (size_t)(end - mods), spec, err);
}

/* Find the colon before modifiers. Other text behind a colon belongs to a tracepoint,
 * sched:sched_switch.
 * @return NULL if there are no modifiers */
static const char *find_modifiers(const struct item *body)
{
	const char *colon = memrchr(body->start, ':', body->n);
	size_t n = colon ? (size_t)(body->start + body->n - colon) - 1 : 0;

	if (colon && strcspn(colon + 1, EVENT_WILDCARDS) < n)
		return NULL;
	return n > 2 && strspn(colon + 1, "ukhGHIpPSDWeb") < n ? NULL : colon;
}

static int read_name(const struct item *item, const struct item *body, struct event_spec *spec,
		     struct err *err)
{
	const char *colon = find_modifiers(body);
	size_t n = colon ? (size_t)(colon - body->start) : body->n;

	if (!n)
		return bad_item(item, err, "an event is missing here");
	if (spec_copy(spec->text, sizeof(spec->text), body->start, n) < 0)
		return bad_item(item, err, "too long");
	return colon ? read_modifiers(item, colon + 1, body->n - n - 1, spec, err) : 0;
}

static int read_item(const struct item *item, struct event_spec *spec, struct err *err)
{
	struct item body = *item;
	int result = take_slot(item, &body, spec, err);

	if (result < 0)
		return result;

	spec->is_forced = body.n && body.start[body.n - 1] == '!';
	body.n -= spec->is_forced;

	const char *slash = memchr(body.start, '/', body.n);

	if (slash)
		return read_terms(item, &body, slash, spec, err);
	return read_name(item, &body, spec, err);
}

/* Apply the braces' modifiers to a member; close the group after the last one. */
static int read_group(struct spec_reader *reader, const struct item *item, struct event_spec *spec,
		      struct err *err)
{
	struct event_spec group = { 0 };
	const struct item *mods = &reader->mods;
	const char *end = find_outside_terms(item->start + item->n, ",}");
	int rc = 0;

	spec->group = reader->n_groups;
	if (mods->n && mods->start[0] != ':')
		return bad_item(mods, err, "only modifiers follow a brace ({a,b}:u)");
	if (mods->n)
		rc = read_modifiers(mods, mods->start + 1, mods->n - 1, &group, err);
	if (spec->privilege == PRIVILEGE_BOTH)
		spec->privilege = group.privilege;
	if (*end == '}')
		close_group(reader, end);
	return rc;
}

int event_specs_parse(const char *text, struct event_spec **ret, size_t *ret_n, struct err *err)
{
	AUTO_FREE struct event_spec *specs = NULL;
	struct spec_reader reader = { .rest = text };
	struct item item = { 0 };
	size_t n = 0, cap = 0;
	int more;

	while ((more = next_item(&reader, &item, err)) > 0) {
		struct event_spec spec = { 0 };
		bool in_group = reader.in_group;
		int result = read_item(&item, &spec, err);

		if (!result && in_group)
			result = read_group(&reader, &item, &spec, err);
		if (result < 0)
			return result;
		if (ARRAY_APPEND(specs, cap, n, spec))
			return err_set(err, ENOMEM, "out of memory");
	}
	if (more < 0)
		return more;
	*ret = specs;
	*ret_n = n;
	specs = NULL;
	return 0;
}

int event_spec_parse(const char *text, struct event_spec *ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;
	int rc = event_specs_parse(text, &spec, &n, err);

	if (!rc && n != 1)
		rc = err_set(err, EINVAL, "one event at a time, not \"%s\"", text);
	if (!rc)
		*ret = *spec;
	return rc;
}

struct event_spec event_spec_of_name(const char *name)
{
	struct event_spec spec = { .slot = -1, .is_data = true };

	snprintf(spec.text, sizeof(spec.text), "%s", name);
	return spec;
}
