/* compile.h: what parsing an expression needs beside the text; private to metrics/ */
#ifndef METRICS_EXPR_COMPILE_H
#define METRICS_EXPR_COMPILE_H

#include "metrics/expr/lex.h"
#include "metrics/expr/node.h"

enum { METRICS_DEEP_MAX = 24 }; /* metrics that use metrics that … */

/* A metric that was used by name. */
struct metric_used {
	char *name;
	int node;     /* its result */
	bool is_open; /* being parsed now: to meet it again is a cycle */
};

struct metric_compiler {
	const struct metric_context *context;
	struct err *err;
	struct metric_nodes nodes;
	char **input; /* names by input number; nodes that folding removed may have used them */
	size_t n_inputs, cap_inputs;
	struct metric_used *used;
	size_t n_used, cap_used;
	unsigned depth;
};

/** Parse a whole expression. @return the node of its result or -errno */
int metric_parse(struct metric_compiler *compiler, const char *expr);

/** A node as metric_node_… returned it: turn its errno into text. @return the same */
int metric_compiler_node(struct metric_compiler *compiler, int node);

/** A name: the window's length, a metric's result, or an event. @return a node or -errno */
int metric_compiler_name(struct metric_compiler *compiler, const char *name);

/** source_count(NAME), has_event(NAME), strcmp_cpuid_str(NAME). @return a node or -errno */
int metric_compiler_sources(struct metric_compiler *compiler, const char *name);
int metric_compiler_has_event(struct metric_compiler *compiler, const char *name);
int metric_compiler_is_cpu(struct metric_compiler *compiler, const char *name);

/** "#smt_on". @return false when there is no such literal */
bool metric_compiler_literal(const struct metric_compiler *compiler, const char *name, double *ret);

#endif
