/* rows.h: which rows the picture has and in which order: groups, folded clusters, filter, sorting */
#ifndef TUI_MODEL_ROWS_H
#define TUI_MODEL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "machine/machine.h"
#include "sampler/frame.h"

struct model;

/** One line of rows: a core, or a heading with the subtotal of its cores. */
struct line {
	enum frame_by by;
	unsigned index;  /* as frame_row */
	bool is_heading; /* the cores of this subtotal stand beneath it */
};

enum order_by {
	ORDER_MACHINE, /* as the machine has them, cores beneath their clusters */
	ORDER_HEADLINE,
	ORDER_SLOT,
	ORDER_METRIC,
};

/** What rows are sorted by: then cores stand by themselves, without their clusters. */
struct order {
	enum order_by by;
	unsigned number;   /* slot, metric */
	bool is_ascending; /* the smallest first */
};

/** What leaves some rows out. */
struct filter {
	char text[64];    /* "" leaves none out */
	struct cpus cpus; /* that it means */
};

/** Clusters whose cores are not seen. */
struct folds {
	uint64_t cluster[CORES_MAX / 64];
};

struct rows {
	struct order order;
	struct filter filter;
	struct folds folds;
	uint64_t sorted_ns; /* time of the frame they were sorted by; 0: of none */
};

/** Rebuild model->line. The selected row stays so where it is still there. */
void rows_make(struct model *model);

/** Before a picture: when another frame is shown, sort again, but no more often than once a second
 * while they come by themselves. */
void rows_follow(struct model *model);

/** Sort by something; by what they are sorted by already: in the other direction. */
void rows_sort(struct model *model, enum order_by by, unsigned number);

/** Sort the other way round. @return false: they are not sorted */
bool rows_turn(struct model *model);

/** Leave out rows that are not meant. Commas stand between CPU lists and words that all begin a word
 * of type, cluster or core: "0-3,8", "P", "P,cluster 3", "cpu12". "" ends it. */
void rows_filter(struct model *model, const char *text);

/** Cores that the filter leaves. */
unsigned rows_n_cores(const struct model *model);

/** Select the line of a core, cluster or type, where it is to be seen. */
void rows_select(struct model *model, enum frame_by by, unsigned index);

/** Fold the cluster of a line, or unfold it; its heading is selected then.
 * @return false: the line has none here */
bool rows_fold(struct model *model, unsigned line);

/** Fold all clusters or none. */
void rows_fold_all(struct model *model, bool folded);

/** Fold exactly these clusters. */
void rows_fold_as(struct model *model, const struct folds *folds);

/** Fold these, but not the cluster of the core that is selected. */
void rows_fold_around(struct model *model, const struct folds *folds);

/** At the start: a large machine whose rows the screen cannot hold begins with its clusters folded.
 * @n_lines  of the screen */
void rows_begin(struct model *model, unsigned n_lines);

/** Is it a machine so large that it begins with its clusters folded? */
bool rows_begins_folded(const struct model *model);

/** Is this cluster folded? */
bool rows_is_folded(const struct model *model, unsigned cluster);

/** Is any cluster folded? */
bool rows_has_folded(const struct model *model);

/** Does every word of `words` begin a word of the text? A number must be the whole word. Letters
 * of either case. Pure. */
bool rows_match(const char *text, const char *words);

#endif
