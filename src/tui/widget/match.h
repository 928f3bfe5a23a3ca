/* match.h: how well items match a search, word by word, and items in that order; pure */
#ifndef TUI_WIDGET_MATCH_H
#define TUI_WIDGET_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Kinds of matches, the best one last. */
enum match {
	MATCH_NONE,
	MATCH_FUZZY,  /* the letters are in a name in this order, with others between them */
	MATCH_TEXT,   /* within a text about the item */
	MATCH_NAME,   /* within a name */
	MATCH_WORD,   /* at the start of a word of a name */
	MATCH_PREFIX, /* at the start of a name */
	MATCH_EXACT,  /* a whole name, or the item's number */
	MATCH_RECENT, /* nothing was typed, and the item was chosen recently */
};

/** A rank is MATCH_RANK(match, fine), greater is better, 0: no match. Case is ignored throughout. */
#define MATCH_RANK(match, fine) ((unsigned)(match) << 8 | (unsigned)(fine))
#define MATCH_OF(rank)          ((enum match)((rank) >> 8))

/** Rank for lists in which some of the items with the same kind of match come first. Greater than other
 * ranks, which it cannot be compared with. */
static inline unsigned match_prefer(unsigned rank, bool is_first)
{
	return (MATCH_OF(rank) << 1 | is_first) << 8 | (rank & 0xff);
}

/** Rank one word in a name; of two names the shorter one, or the one whose letters are closer, ranks
 * higher. @return a rank */
unsigned match_name(const char *name, const char *word);

/** Rank one word in a text: MATCH_TEXT or 0. @return a rank */
unsigned match_text(const char *text, const char *word);

/** Rank a word as this number: "0x8d", "8D", or the beginning of it, "0x8". @return a rank */
unsigned match_id(uint64_t id, const char *word);

/** Return the better rank. */
unsigned match_better(unsigned a, unsigned b);

/** Rank one word of a search for an item. @return a rank */
typedef unsigned match_word_fn(const void *item, const char *word);

/**
 * Rank all words of a search, in any order: the rank of the worst match.
 *
 * @return a rank; for a search without words that of MATCH_NAME
 */
unsigned match_words(const char *search, match_word_fn *rank_word, const void *item);

/**
 * Mark the letters of a name or text that a search matches, word by word.
 *
 * @is_name  letters apart count too
 * @ret      one for each byte of the text
 */
void match_letters(const char *search, const char *text, bool is_name, bool *ret, size_t n);

/** Items that match a search, the best first, equal ones in their own order. */
struct found {
	struct found_item {
		unsigned rank, item;
	} * at;
	unsigned n;
};

/** Whether a text contains every word of the search, in any order and anywhere. */
bool match_has(const char *text, const char *search);

/** Allocate room for n_items. @return 0 or -ENOMEM */
int found_init(struct found *found, unsigned n_items);

/** Release. */
void found_fini(struct found *found);

/** Search again. @n_items as in found_init, or fewer */
void found_make(struct found *found, unsigned n_items,
		unsigned (*rank)(const void *data, unsigned item), const void *data);

#endif
