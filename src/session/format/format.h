/* format.h: frames as text, one format a row of one table */
#ifndef SESSION_FORMAT_FORMAT_H
#define SESSION_FORMAT_FORMAT_H

#include "base/text.h"
#include "sampler/sampler.h"

/** What stat was asked for that a session's rows do not say. NULL: nothing of the kind. */
struct session_asked {
	const char *preset;  /* -P */
	const char *metrics; /* -M */
	/* Events that were counted as well because that costs nothing, commas between: perf's forms
	 * leave them out unless a metric that is shown takes them. */
	const char *beside;
	/* "4711", "12,34": the counts are those of these processes and threads together, on each core type,
	 * in a core that stands for all of its type. NULL: whole cores are counted */
	const char *tasks;
	bool by_device; /* all of it of devices: a row for each of them, not for each core */
	bool of_sets;   /* metrics that were asked for when a set was loaded: its bound.asked */
};

/** What a format may need to know beside the frame. Constant while it is used. */
struct format_context {
	const struct task_table
		*tasks; /* rows by task, of the frame that is written; NULL: by `by` */
	const struct machine *machine;
	const struct metrics *metrics;
	const struct set *first;           /* counted at the beginning; NULL: not known yet */
	const struct metrics_bound *bound; /* what that gives; NULL: likewise */
	struct session_asked asked;
	const char *backend; /* "perf" */
	char host[65], kernel[65];
	uint64_t interval_ns;     /* at the beginning */
	uint64_t started_wall_ns; /* time 0 */
	const char *sep;          /* -x; NULL: the format's own */
	enum frame_by by;         /* the session CSV is always by core */
	bool continues;           /* appended to a file that has its heading already */
	bool is_file;             /* of -o: perf's form begins it with the date */
	bool metric_only;         /* metrics, and no counts */
	bool plain_summary;       /* the word "summary" is left out of perf's CSV form */
	bool is_summary;          /* set by format_summary */
	bool is_total;            /* the summary is all there is: no interval before it */
	bool ascii;               /* no characters beyond ASCII */
	bool color;               /* for a terminal: sequences are welcome, as SHOWN_OWN */
	const uint16_t *shown;    /* -M: numbers of the metrics to write, unless asked.of_sets */
	size_t n_shown;
	uint32_t last_set; /* formats keep here which set they described last; begin at 0 */
	const struct metrics_bound *last_bound; /* of which they described the metrics */
	uint64_t last_t_ns;                     /* its end, in the table */
	uint64_t last_interval_ns;              /* which interval */
	uint64_t last_own_ns;                   /* when they last wrote m1top's own cost */
	bool last_off[CORES_MAX];               /* and which cores they last called off */
	/* and the last frame with tasks, which whoever has it written holds until the next is; NULL: the
	 * last had none */
	const struct frame *last_frame;
};

struct format {
	const char *name; /* as in --format */
	const char *
		metrics; /* those to write without -M and -P where the machine has them; NULL: none */
	/* Optional each (NULL: nothing to write). They append whole lines to `out`. */
	void (*begin)(struct format_context *context, struct text *out);
	void (*frame)(struct format_context *context, const struct frame *frame, struct text *out);
	/* For format_summary. NULL: this format has no place for it. */
	void (*summary)(struct format_context *context, const struct frame *sum, struct text *out);
	void (*mark)(struct format_context *context, uint64_t t_ns, const char *note,
		     struct text *out);
	void (*gap)(struct format_context *context, uint64_t t_ns, uint64_t n_frames,
		    const char *why, struct text *out);
};

/** table, csv, perf, json; NULL-terminated. */
extern const struct format *const format_table[];

/** The members of the table, each in a file of its name. */
extern const struct format format_text_table, format_csv, format_perf, format_json;

/** Append frames that were added up, at the end. @format  one with a summary */
void format_summary(const struct format *format, struct format_context *context,
		    const struct frame *sum, struct text *out);

/** Begin once more in a new file, with what is counted and how often as of `last`. */
void format_context_restart(struct format_context *context, const struct frame *last);

/** By name. @return NULL when there is none */
const struct format *format_find(const char *name);

/**
 * What formats need to know of a session: everything but what options say, which is zero.
 *
 * @sampler  started, so that the first set is known; metrics and sampler outlive the context
 */
void format_context_init(struct format_context *context, const struct sampler *sampler,
			 const struct metrics *metrics);

#endif
