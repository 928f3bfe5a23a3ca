#include "base/ascii.h"

#include <fnmatch.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>

char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

char ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c + 'A' - 'a') : c;
}

bool ascii_isalpha(char c)
{
	return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

bool ascii_isalnum(char c)
{
	return ascii_isalpha(c) || (c >= '0' && c <= '9');
}

bool ascii_isspace(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int ascii_ncasecmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		int differ = (unsigned char)ascii_lower(*a) - (unsigned char)ascii_lower(*b);

		if (differ || !*a)
			return differ;
	}
	return 0;
}

int ascii_casecmp(const char *a, const char *b)
{
	return ascii_ncasecmp(a, b, SIZE_MAX);
}

const char *ascii_casestr(const char *text, const char *part)
{
	size_t n = strlen(part);

	while (*text && ascii_ncasecmp(text, part, n) != 0)
		text++;
	return *text || !n ? text : NULL;
}

bool ascii_caseglob(const char *pattern, const char *text)
{
	/* fnmatch folds case by the thread's locale */
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	bool matches = fnmatch(pattern, text, FNM_CASEFOLD) == 0;

	uselocale(before);
	return matches;
}
