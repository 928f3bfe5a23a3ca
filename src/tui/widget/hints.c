#include "tui/widget/hints.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "pmu/event.h"
#include "tui/term/draw.h"
#include "tui/widget/match.h"

enum { KEY_COLUMNS = 16 };

/* Print as much as fits; nothing if y is negative. @return the rest */
static const char *print_line(int y, int x, int width, enum role role, const char *text)
{
	size_t n = draw_fitting(text, width);

	draw_printf(y, x, width, role, "%.*s", (int)n, text);
	return text + n + strspn(text + n, " ");
}

/* Keep the word of a line that is nearest to the search, if one is near. */
static void find_near(struct help_text *help_text, const char *line)
{
	char word[sizeof(help_text->near)];

	while (text_next_word(&line, word, sizeof(word))) {
		struct near_names near = { .wanted = help_text->find };
		unsigned distance;

		word[strcspn(word, ",;:.()")] = '\0';
		near_names_offer(&near, word);
		/* the first letter is rarely wrong */
		distance = near.distance[0] * 2 +
			   (ascii_lower(*word) != ascii_lower(*help_text->find));
		if (!near.n || distance > strlen(word) ||
		    (*help_text->near && distance >= help_text->distance))
			continue;
		snprintf(help_text->near, sizeof(help_text->near), "%s", word);
		help_text->distance = distance;
	}
}

static unsigned rank_word(const void *line, const char *word)
{
	unsigned rank = match_name(line, word);

	return MATCH_OF(rank) >= MATCH_WORD ? rank : 0;
}

/* Whether words of the line or of its heading begin with those of the search. */
static bool is_found(struct help_text *help_text, const char *left, const char *right)
{
	char line[512];

	snprintf(line, sizeof(line), "%s %s %s", left, right, help_text->heading);
	if (match_words(help_text->find, rank_word, line))
		return true;
	if (help_text->wants_near)
		find_near(help_text, line);
	return false;
}

static void print_entry(struct help_text *help_text, enum role role, const char *left,
			const char *right)
{
	const char *rest = right ? right : "";

	if (role == ROLE_TITLE && help_text->line && help_text->line++ >= help_text->first &&
	    help_text->y < help_text->end)
		help_text->y++; /* a blank line before a heading */
	do {
		bool is_seen =
			help_text->line++ >= help_text->first && help_text->y < help_text->end;
		int y = is_seen ? help_text->y++ : -1;

		left = print_line(y, right ? 3 : 1, right ? KEY_COLUMNS - 1 : COLS - 4, role, left);
		rest = print_line(y, 3 + KEY_COLUMNS, COLS - 4 - KEY_COLUMNS, ROLE_TEXT, rest);
	} while (*left || *rest);
}

void help_text_print(struct help_text *help_text, enum role role, const char *left,
		     const char *right)
{
	if (!right)
		help_text->heading = left;
	if (!*help_text->find || (right && is_found(help_text, left, right)))
		print_entry(help_text, role, left, right);
}

void help_text_key(struct help_text *help_text, const struct key *row, const char *keys,
		   const char *help)
{
	bool is_search = *help_text->find, is_first;

	if (is_search && !is_found(help_text, keys, help))
		return;
	is_first = is_search && !help_text->key && help_text->line >= help_text->first;
	if (is_first)
		help_text->key = row;
	print_entry(help_text, is_first ? ROLE_SELECTED : ROLE_KEY, keys, help);
}

void help_text_hints(struct help_text *help_text, const char *title, const struct hint *hint)
{
	help_text_print(help_text, ROLE_TITLE, title, NULL);
	for (; hint->key; hint++)
		help_text_print(help_text, ROLE_KEY, hint->key, hint->what);
}
