#include "tui/match.h"

#include <stdio.h>
#include <string.h>

enum match match_words(const char *search, bool (*is_in_name)(const void *item, const char *word),
		       bool (*is_in_text)(const void *item, const char *word), const void *item)
{
	enum match match = MATCH_NAME;
	char word[160];
	size_t n;

	for (search += strspn(search, " "); *search; search += n + strspn(search + n, " ")) {
		n = strcspn(search, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, search);
		if (is_in_name(item, word))
			continue;
		if (!is_in_text(item, word))
			return MATCH_NONE;
		match = MATCH_TEXT;
	}
	return match;
}
