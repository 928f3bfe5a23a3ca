/* harness.h: cmocka with the headers that it wants before it */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"

/** Skip the test if m1top is built without this feature (make WITHOUT=…). */
void needs_feature(const char *feature);

/** Skip a long test that has one thread where the thread sanitizer runs: it has nothing to look for. */
void needs_no_threads(void);

#endif
