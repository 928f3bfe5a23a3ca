/* match.h: does a search, word by word, mean an item? pure */
#ifndef TUI_MATCH_H
#define TUI_MATCH_H

#include <stdbool.h>

enum match { MATCH_NONE, MATCH_TEXT, MATCH_NAME };

/**
 * Does every word of a search stand in the item's names, or else in its texts? Case is for the two
 * questions to ignore; no words match everything, by name.
 */
enum match match_words(const char *search, bool (*is_in_name)(const void *item, const char *word),
		       bool (*is_in_text)(const void *item, const char *word), const void *item);

#endif
