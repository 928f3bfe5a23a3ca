#include "metrics/expr/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

#define DIGITS "0123456789"

int metric_lex_fail(const struct metric_lexer *lexer, struct err *err, const char *what)
{
	return err_set(err, EINVAL, "column %td: %s", lexer->start - lexer->expr + 1, what);
}

/* 12 1. .5 1.5e-3: how many characters */
static size_t number_length(const char *at)
{
	size_t whole = strspn(at, DIGITS), n = whole;

	if (at[n] == '.')
		n += 1 + strspn(at + n + 1, DIGITS);
	if (!whole && n < 2)
		return 0;
	if (at[n] == 'e' || at[n] == 'E') {
		size_t sign = at[n + 1] == '-' || at[n + 1] == '+';
		size_t digits = strspn(at + n + 1 + sign, DIGITS);

		if (digits)
			n += 1 + sign + digits;
	}
	return n;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:@?", c));
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	for (;;) {
		if (at[n] == '\\' && at[n + 1])
			n += 2;
		else if (in_name(at[n]))
			n++;
		else
			return n;
	}
}

static int take_number(struct metric_lexer *lexer, size_t n, struct err *err)
{
	char text[64];

	if (n >= sizeof(text))
		return metric_lex_fail(lexer, err, "number is too long");
	memcpy(text, lexer->start, n);
	text[n] = '\0';
	if (num_parse_double(text, &lexer->number))
		return metric_lex_fail(lexer, err, "not a number");
	lexer->token = TOKEN_NUMBER;
	return 0;
}

static int take_name(struct metric_lexer *lexer, size_t n, struct err *err)
{
	size_t used = 0;

	for (const char *at = lexer->start; at < lexer->start + n; at++) {
		char *to = lexer->name + used;
		size_t room = sizeof(lexer->name) - used;

		if (room < 12) /* the longest runtime parameter */
			return metric_lex_fail(lexer, err, "name is too long");
		if (*at == '?') {
			used += (size_t)snprintf(to, room, "%u", lexer->runtime);
			continue;
		}
		*to = *at == '@' ? '/' : *at;
		if (*at == '\\')
			*to = *++at;
		used++;
	}
	lexer->name[used] = '\0';
	if (strspn(lexer->name, DIGITS ".") == used)
		return metric_lex_fail(lexer, err, "not a number");
	lexer->token = strcmp(lexer->name, "if") == 0     ? TOKEN_IF
		       : strcmp(lexer->name, "else") == 0 ? TOKEN_ELSE
							  : TOKEN_NAME;
	return 0;
}

static int take_literal(struct metric_lexer *lexer, size_t n, struct err *err)
{
	if (n == 1)
		return metric_lex_fail(lexer, err, "# does not begin a name");
	if (n >= sizeof(lexer->name))
		return metric_lex_fail(lexer, err, "name is too long");
	memcpy(lexer->name, lexer->start, n);
	lexer->name[n] = '\0';
	lexer->token = TOKEN_LITERAL;
	return 0;
}

int metric_lex(struct metric_lexer *lexer, struct err *err)
{
	while (isspace((unsigned char)*lexer->at))
		lexer->at++;
	lexer->start = lexer->at;

	size_t number = number_length(lexer->at), name = name_length(lexer->at);
	size_t literal = *lexer->at == '#' ? 1 + name_length(lexer->at + 1) : 0;

	lexer->at += literal ? literal : number > name ? number : name;
	if (literal)
		return take_literal(lexer, literal, err);
	if (number && number >= name)
		return take_number(lexer, number, err);
	if (name)
		return take_name(lexer, name, err);
	lexer->sign = *lexer->at;
	lexer->token = *lexer->at ? TOKEN_SIGN : TOKEN_END;
	lexer->at += *lexer->at != '\0';
	return 0;
}
