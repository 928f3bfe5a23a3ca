/* harness.c: tests that are not for every build */
#include "rig/harness.h"

#include <stdlib.h>

void needs_feature(const char *feature)
{
	if (!strstr(M1TOP_WITHOUT, feature))
		return;
	print_message("# m1top is built without %s\n", feature);
	skip();
}

void needs_no_threads(void)
{
	const char *san = getenv("SAN");

	if (san && strstr(san, "thread"))
		skip();
}
