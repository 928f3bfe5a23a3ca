/* match.h: how well a search, word by word, means an item, and items in that order; pure */
#ifndef TUI_WIDGET_MATCH_H
#define TUI_WIDGET_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** In which way, the best one last. */
enum match {
	MATCH_NONE,
	MATCH_FUZZY,  /* the letters stand in a name in this order, others between them */
	MATCH_TEXT,   /* in a text about the item */
	MATCH_NAME,   /* within a name */
	MATCH_WORD,   /* it begins a word of a name */
	MATCH_PREFIX, /* it begins a name */
	MATCH_EXACT,  /* it is a name, or the item's number */
	MATCH_RECENT, /* nothing was typed, and it was chosen not long ago */
};

/** Ranks are compared: MATCH_RANK(match, fine), 0 for not at all. Ignores case throughout. */
#define MATCH_RANK(match, fine) ((unsigned)(match) << 8 | (unsigned)(fine))
#define MATCH_OF(rank)          ((enum match)((rank) >> 8))

/** A rank for lists in which of those that are meant in the same way some stand first. Greater than
 * other ranks, which it cannot be compared with. */
static inline unsigned match_first_of_its_kind(unsigned rank, bool is_first)
{
	return (MATCH_OF(rank) << 1 | is_first) << 8 | (rank & 0xff);
}

/** One word in a name; of two names the shorter one, or the one whose letters stand closer, ranks
 * higher. @return a rank */
unsigned match_name(const char *name, const char *word);

/** One word in a text: MATCH_TEXT or nothing. @return a rank */
unsigned match_text(const char *text, const char *word);

/** Is the word this number: "0x8d", "8D", or as far as it is typed, "0x8"? @return a rank */
unsigned match_id(uint64_t id, const char *word);

/** The better one. */
unsigned match_better(unsigned a, unsigned b);

/** How one word of a search means the item. @return a rank */
typedef unsigned match_word_fn(const void *item, const char *word);

/**
 * All words of a search, in any order: the rank of the one that means the item least.
 *
 * @return a rank; for a search without words that of MATCH_NAME
 */
unsigned match_words(const char *search, match_word_fn *rank_word, const void *item);

/**
 * Which letters of a name or text a search means, word by word.
 *
 * @is_name  letters apart count too
 * @ret      one for each byte of the text
 */
void match_letters(const char *search, const char *text, bool is_name, bool *ret, size_t n);

/** Items that a search leaves, the best first, equal ones in their own order. */
struct found {
	struct found_item {
		unsigned rank, item;
	} * at;
	unsigned n;
};

/** Has a text every word of the search, in any order and anywhere? */
bool match_has(const char *text, const char *search);

/** Room for so many. @return 0 or -ENOMEM */
int found_init(struct found *found, unsigned n_items);

/** Release. */
void found_fini(struct found *found);

/** Search again. @n_items as in found_init, or fewer */
void found_make(struct found *found, unsigned n_items,
		unsigned (*rank)(const void *data, unsigned item), const void *data);

#endif
