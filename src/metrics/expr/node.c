#include "metrics/expr/node.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void metric_nodes_init(struct metric_nodes *nodes)
{
	*nodes = (struct metric_nodes){ .node = NULL };
	for (size_t i = 0; i < NODE_HEADS; i++)
		nodes->head[i] = -1;
}

void metric_nodes_fini(struct metric_nodes *nodes)
{
	free(nodes->node);
	nodes->node = NULL;
}

static uint64_t number_bits(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits)); /* NaN must equal itself here, and -0 not 0 */
	return bits;
}

static bool is_same(const struct metric_step *x, const struct metric_step *y)
{
	return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
	       number_bits(x->number) == number_bits(y->number);
}

static unsigned hash(const struct metric_step *step)
{
	uint64_t h = number_bits(step->number) + step->op;

	h = (h ^ step->a) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ step->b) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ step->c) * UINT64_C(0x9e3779b97f4a7c15);
	return (unsigned)(h >> 56);
}

static int add(struct metric_nodes *nodes, struct metric_step step)
{
	unsigned slot = hash(&step);

	for (int i = nodes->head[slot]; i >= 0; i = nodes->node[i].next) {
		if (is_same(&nodes->node[i].step, &step))
			return i;
	}
	if (nodes->n == NODES_MAX)
		return -E2BIG;
	if (array_reserve((void **)&nodes->node, &nodes->cap, nodes->n, sizeof(*nodes->node)))
		return -ENOMEM;
	nodes->node[nodes->n] = (struct metric_node){
		.step = step,
		.next = nodes->head[slot],
	};
	nodes->head[slot] = (int)nodes->n;
	return (int)nodes->n++;
}

int metric_node_number(struct metric_nodes *nodes, double number)
{
	struct metric_step step = { .op = METRIC_NUMBER, .number = number };

	return add(nodes, step);
}

int metric_node_measured(struct metric_nodes *nodes, enum metric_op op, unsigned input)
{
	return add(nodes, (struct metric_step){ .op = (uint8_t)op, .a = (uint16_t)input });
}

static bool is_number(const struct metric_nodes *nodes, int i)
{
	return nodes->node[i].step.op == METRIC_NUMBER;
}

/* The number that a node is, NaN when it is none. */
static double number_of(const struct metric_nodes *nodes, int i)
{
	return is_number(nodes, i) ? nodes->node[i].step.number : NAN;
}

/* Decided by one operand. @return true with the node that it is, or an errno */
static bool fold_half(struct metric_nodes *nodes, enum metric_op op, int a, int b, int *ret)
{
	double x = number_of(nodes, a), y = number_of(nodes, b);
	bool is_logic = op == METRIC_AND || op == METRIC_OR;
	double decided = is_logic ? metric_apply((uint8_t)op, x, y, NAN) : NAN;

	if (isnan(decided) && !(op == METRIC_DIVIDE && y == 0) &&
	    !(op == METRIC_REMAINDER && fabs(y) < 1))
		return false;
	*ret = metric_node_number(nodes, decided);
	return true;
}

static bool fold_choice(struct metric_nodes *nodes, int a, int b, int c, int *ret)
{
	if (is_number(nodes, b)) {
		double condition = number_of(nodes, b);

		*ret = condition == 0 ? c : isnan(condition) ? metric_node_number(nodes, NAN) : a;
		return true;
	}
	*ret = a;
	return a == c && is_number(nodes, a);
}

int metric_node_apply(struct metric_nodes *nodes, enum metric_op op, int a, int b, int c)
{
	unsigned arity = metric_op_arity((uint8_t)op);
	int ret;

	b = arity > 1 ? b : a;
	c = arity > 2 ? c : a;
	if (op == METRIC_CHOOSE ? fold_choice(nodes, a, b, c, &ret)
				: fold_half(nodes, op, a, b, &ret))
		return ret;
	if (is_number(nodes, a) && is_number(nodes, b) && is_number(nodes, c))
		return metric_node_number(nodes,
					  metric_apply((uint8_t)op, number_of(nodes, a),
						       number_of(nodes, b), number_of(nodes, c)));

	struct metric_step step = { .op = (uint8_t)op,
				    .a = (uint16_t)a,
				    .b = arity > 1 ? (uint16_t)b : 0,
				    .c = arity > 2 ? (uint16_t)c : 0 };

	return add(nodes, step);
}
