#include "cmd/near.h"

#include <stddef.h>
#include <string.h>

enum { WORD_MAX = 32 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Letters to insert, delete, change or swap with their neighbour. */
static unsigned distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= n_a; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= n_b; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		for (size_t j = 1; j <= n_b; j++) {
			d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1, d[i][j]);
		}
	}
	return d[n_a][n_b];
}

void near_try(struct near *near, const char *candidate)
{
	size_t n = strlen(near->word), n_candidate = strlen(candidate);
	unsigned allowed = n < 6 ? 2 : (unsigned)n / 3;

	if (n < 2 || n > WORD_MAX || n_candidate > WORD_MAX || n_candidate == 0)
		return;

	unsigned found = distance(near->word, n, candidate, n_candidate);

	if (found > allowed || found >= n || (near->best && found >= near->distance))
		return;
	near->best = candidate;
	near->distance = found;
}
