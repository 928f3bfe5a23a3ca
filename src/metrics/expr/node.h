/* node.h: an expression as it is being compiled: equal parts are one node, constant parts
 * are numbers; private to metrics/ */
#ifndef METRICS_EXPR_NODE_H
#define METRICS_EXPR_NODE_H

#include "metrics/expr/program.h"

enum { NODES_MAX = 8192, NODE_HEADS = 256 };

struct metric_node {
	struct metric_step step; /* operands are numbers of nodes before it */
	int next;                /* of the same hash, -1: none */
};

struct metric_nodes {
	struct metric_node *node;
	size_t n, cap;
	int head[NODE_HEADS];
};

/** Begin without nodes. */
void metric_nodes_init(struct metric_nodes *nodes);

/** Release. */
void metric_nodes_fini(struct metric_nodes *nodes);

/** A number. @return its node; -ENOMEM, -E2BIG */
int metric_node_number(struct metric_nodes *nodes, double number);

/** Something that is measured: METRIC_INPUT, METRIC_SOURCES, METRIC_SECONDS. @return as above */
int metric_node_measured(struct metric_nodes *nodes, enum metric_op op, unsigned input);

/**
 * An operation. Worked out when its result does not depend on what is measured, as perf does:
 * x/0 is undefined, 0 & x is 0, 1 | x is 1, `a if 1 else x` is a, `1 if x else 1` is 1.
 *
 * @a, @b, @c  nodes; those beyond the operation's arity are ignored
 * @return     as above
 */
int metric_node_apply(struct metric_nodes *nodes, enum metric_op op, int a, int b, int c);

#endif
