/* golden.h: comparison of text with a golden file */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "rig/harness.h"
#include "base/text.h"

/**
 * Compare text with tests/formats/NAME.txt and fail the test if they differ.
 *
 * With BLESS in the environment the file is rewritten first.
 */
void check_golden(const char *name, const struct text *got);

#endif
