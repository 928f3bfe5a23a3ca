/* list.h: the list of a view: selected in by clicks, searched */
#ifndef TUI_LIST_H
#define TUI_LIST_H

struct tui;

struct list_search {
	char text[64];   /* that n and N look for; "" before the first */
	unsigned before; /* the selected item when the search began */
};

/** A line of the picture is an item of the view's list: a click selects it. */
void list_area(int y, unsigned item);

/** How much of it is seen, "12–40 of 128", where that is not all; for the status line.
 * @n_seen  items  @return buf */
const char *list_range(struct tui *tui, unsigned n_seen, char *buf, unsigned size);

/** Ask for a text and go to the first item that has it, while it is typed. */
unsigned act_search(struct tui *tui, int key);

/** Go to the next (n) or the previous (N) item that has it. */
unsigned act_search_again(struct tui *tui, int key);

#endif
