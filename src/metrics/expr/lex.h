/* lex.h: the words of an expression, as perf's lexer cuts them; private to metrics/ */
#ifndef METRICS_EXPR_LEX_H
#define METRICS_EXPR_LEX_H

#include "base/err.h"

enum { METRIC_NAME_MAX = 256 };

enum metric_token {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,    /* event, metric or function */
	TOKEN_LITERAL, /* "#smt_on" */
	TOKEN_IF,
	TOKEN_ELSE,
	TOKEN_SIGN, /* one character: an operator, a parenthesis, a comma */
};

struct metric_lexer {
	const char *expr, *at; /* `at` stands behind the present word */
	const char *start;     /* and this where it begins */
	unsigned runtime;      /* what a ? in a name stands for */
	enum metric_token token;
	char sign;
	double number;
	char name[METRIC_NAME_MAX];
};

/**
 * Go to the next word.
 *
 * Names are letters, digits and _ . : @ ? with anything behind a backslash; @ becomes a slash.
 * What could be a name and a number is what is longer, a number when both are alike.
 *
 * @return 0 or -EINVAL with the place
 */
int metric_lex(struct metric_lexer *lexer, struct err *err);

/** An error at the present word: text and column. @return -EINVAL */
int metric_lex_fail(const struct metric_lexer *lexer, struct err *err, const char *what);

#endif
