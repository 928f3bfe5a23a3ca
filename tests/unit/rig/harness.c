/* harness.c: tests of optional features */
#include "rig/harness.h"

void needs_feature(const char *feature)
{
	if (!strstr(M1TOP_WITHOUT, feature))
		return;
	print_message("# m1top is built without %s\n", feature);
	skip();
}
