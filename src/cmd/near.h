/* near.h: the word that was probably meant */
#ifndef CMD_NEAR_H
#define CMD_NEAR_H

/** Keeps the best so far; begin with { .word = what was typed }. */
struct near {
	const char *word;
	const char *best; /* NULL: nothing comes near */
	unsigned distance;
};

/** Is this candidate nearer? Up to a third of its letters may differ, of short words two. */
void near_try(struct near *near, const char *candidate);

#endif
