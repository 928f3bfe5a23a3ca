/* harness.h: cmocka with the headers that it wants before it */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"

#endif
