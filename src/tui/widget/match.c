#include "tui/widget/match.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

/* Letters apart are not searched for shorter words: almost every name has them. */
enum { FUZZY_MIN = 3, FINE_MAX = 255, WORD_MAX = 160 };

static bool begins_word(const char *text, const char *at)
{
	return at == text || !ascii_isalnum(at[-1]);
}

/* Find the word, at the start of a word of the text if possible. */
static const char *match_find(const char *text, const char *word)
{
	const char *first = ascii_casestr(text, word), *at = first;

	while (at && !begins_word(text, at))
		at = ascii_casestr(at + 1, word);
	return at ? at : first;
}

/* Find the word's letters in order from `from` on, each as early as possible. @return after the last one;
 * NULL: some are missing */
static const char *run_from(const char *from, const char *word)
{
	for (; *word; from++) {
		if (!*from)
			return NULL;
		word += ascii_lower(*from) == ascii_lower(*word);
	}
	return from;
}

/* Find the shortest part of the text with the word's letters in order. @return its length; 0: none */
static size_t find_apart(const char *text, const char *word, const char **ret_from)
{
	size_t best = 0;

	for (const char *from = text; *from; from++) {
		const char *end =
			ascii_lower(*from) == ascii_lower(*word) ? run_from(from, word) : NULL;
		size_t n = end ? (size_t)(end - from) : 0;

		if (!n || (best && n >= best))
			continue;
		best = n;
		*ret_from = from;
	}
	return best;
}

/* Return 1 … FINE_MAX, more for a smaller n. */
static unsigned fine(size_t n)
{
	return n < FINE_MAX ? FINE_MAX - (unsigned)n : 1;
}

unsigned match_name(const char *name, const char *word)
{
	const char *at = match_find(name, word);
	size_t n = strlen(name), n_word = strlen(word), n_apart;

	if (!at) {
		n_apart = n_word < FUZZY_MIN ? 0 : find_apart(name, word, &at);
		return n_apart ? MATCH_RANK(MATCH_FUZZY, fine(n_apart - n_word)) : 0;
	}
	if (at == name)
		return MATCH_RANK(n == n_word ? MATCH_EXACT : MATCH_PREFIX, fine(n));
	return MATCH_RANK(begins_word(name, at) ? MATCH_WORD : MATCH_NAME, fine(n));
}

unsigned match_text(const char *text, const char *word)
{
	return ascii_casestr(text, word) ? MATCH_RANK(MATCH_TEXT, 1) : 0;
}

unsigned match_id(uint64_t id, const char *word)
{
	size_t n = strlen(word);
	bool is_full = ascii_ncasecmp(word, "0x", 2) == 0;
	char text[32], *end;

	snprintf(text, sizeof(text), "0x%" PRIx64, id);
	/* a single digit is more likely part of a name: L2 */
	if (n >= 2 && isxdigit((unsigned char)word[n - 1]) && strtoull(word, &end, 16) == id &&
	    !*end && isxdigit((unsigned char)*word))
		return MATCH_RANK(MATCH_EXACT, FINE_MAX);
	return is_full && n > 2 && ascii_ncasecmp(text, word, n) == 0
		       ? MATCH_RANK(MATCH_PREFIX, fine(strlen(text)))
		       : 0;
}

unsigned match_better(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

unsigned match_words(const char *search, match_word_fn *rank_word, const void *item)
{
	unsigned least = 0;
	char word[WORD_MAX];

	if (!text_next_word(&search, word, sizeof(word)))
		return MATCH_RANK(MATCH_NAME, 1);
	do {
		unsigned rank = rank_word(item, word);

		if (!rank)
			return 0;
		least = !least || rank < least ? rank : least;
	} while (text_next_word(&search, word, sizeof(word)));
	return least;
}

static void mark_apart(const char *text, const char *word, bool *ret, size_t n)
{
	const char *at = text;

	if (strlen(word) < FUZZY_MIN || !find_apart(text, word, &at))
		return;
	for (; *word && (size_t)(at - text) < n; at++) {
		if (ascii_lower(*at) != ascii_lower(*word))
			continue;
		ret[at - text] = true;
		word++;
	}
}

void match_letters(const char *search, const char *text, bool is_name, bool *ret, size_t n)
{
	char word[WORD_MAX];

	memset(ret, 0, n);
	while (text_next_word(&search, word, sizeof(word))) {
		const char *at = match_find(text, word);

		if (!at && is_name)
			mark_apart(text, word, ret, n);
		for (size_t i = 0; at && i < strlen(word) && (size_t)(at - text) + i < n; i++)
			ret[(size_t)(at - text) + i] = true;
	}
}

bool match_has(const char *text, const char *search)
{
	char word[WORD_MAX];

	while (text_next_word(&search, word, sizeof(word)))
		if (!ascii_casestr(text, word))
			return false;
	return true;
}

int found_init(struct found *found, unsigned n_items)
{
	*found = (struct found){ .at = calloc(n_items + 1, sizeof(*found->at)) };
	return found->at ? 0 : -ENOMEM;
}

void found_fini(struct found *found)
{
	free(found->at);
	*found = (struct found){ 0 };
}

static int match_compare(const void *a, const void *b)
{
	const struct found_item *one = a, *other = b;

	if (one->rank != other->rank)
		return one->rank > other->rank ? -1 : 1;
	return one->item < other->item ? -1 : one->item > other->item;
}

void found_make(struct found *found, unsigned n_items,
		unsigned (*rank)(const void *data, unsigned item), const void *data)
{
	found->n = 0;
	for (unsigned item = 0; item < n_items; item++) {
		struct found_item one = { rank(data, item), item };

		if (one.rank)
			found->at[found->n++] = one;
	}
	qsort(found->at, found->n, sizeof(*found->at), match_compare);
}
