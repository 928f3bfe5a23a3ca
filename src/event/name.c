#include "event/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_MAX = 8, WORDS_MAX = 8, NEAR_LENGTH_MAX = 80 };

/* Generic events go by several names: perf's, sysfs', Arm's. One row an event. */
static const char *const synonyms[][4] = {
	{ "cycles", "cpu-cycles", "cpu_cycles" },
	{ "instructions", "inst_retired" },
	{ "branches", "branch-instructions" },
	{ "page-faults", "faults" },
	{ "context-switches", "cs" },
	{ "cpu-migrations", "migrations" },
	{ NULL }, /* no generic event: what event_synonyms_of answers for other names */
};

const char *const *event_synonyms_of(const char *name)
{
	size_t row = 0;

	for (; synonyms[row][0]; row++)
		for (size_t i = 0; synonyms[row][i]; i++)
			if (strcasecmp(synonyms[row][i], name) == 0)
				return synonyms[row];
	return synonyms[row];
}

bool event_synonyms(const char *a, const char *b)
{
	const char *const *row = event_synonyms_of(a);

	return row[0] && row == event_synonyms_of(b);
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
	words->n_chars[longest]--;
}

void event_abbreviate(const char *name, char *ret, size_t size)
{
	struct name_words words = { .n = 0 };
	size_t used = 0;

	snprintf(ret, size, "%s", name);
	if (strlen(name) <= SHORT_MAX)
		return;
	split_words(name, &words);

	size_t gap = words.n <= 3; /* more words leave no room for dashes */

	while (joined_length(&words, gap) > SHORT_MAX)
		shorten_longest(&words);
	ret[0] = '\0';
	for (size_t i = 0; i < words.n && used < size; i++) {
		int n = snprintf(ret + used, size - used, "%s%.*s", i && gap ? "-" : "",
				 (int)words.n_chars[i], words.start[i]);

		used += n > 0 ? (size_t)n : 0;
	}
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein's, without regard to case. */
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
			unsigned differs = tolower((unsigned char)a[i - 1]) !=
					   tolower((unsigned char)b[j - 1]);
			unsigned up = row[j];

			row[j] = least(up + 1, row[j - 1] + 1, diagonal + differs);
			diagonal = up;
		}
	}
	return row[n];
}

/* What contains the wanted text is nearer than what is spelt like it. */
static unsigned distance(const char *wanted, const char *name)
{
	if (strlen(wanted) >= 3 && strcasestr(name, wanted))
		return 0;
	return edit_distance(wanted, name);
}

void near_names_offer(struct near_names *near, const char *name)
{
	unsigned max = 1 + (unsigned)strlen(near->wanted) / 3;
	unsigned d = distance(near->wanted, name), at = near->n;

	for (unsigned i = 0; i < near->n; i++)
		if (strcasecmp(near->name[i], name) == 0)
			return;
	while (at && near->distance[at - 1] > d)
		at--;
	if (d > max || at == sizeof(near->name) / sizeof(near->name[0]))
		return;
	near->n += near->n < sizeof(near->name) / sizeof(near->name[0]);
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
