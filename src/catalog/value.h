/* value.h: the small languages inside the fields of events/: counters, scales, codes */
#ifndef CATALOG_VALUE_H
#define CATALOG_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Counter: "5,6,7" or "0,2-9" as bits. Words such as Linux's "Fixed counter 1" say nothing: 0.
 *
 * @return 0 or -EINVAL
 */
int value_counters(const char *text, uint64_t *ret);

/**
 * ScaleUnit: "1e-6msec", "100%".
 *
 * @ret_unit  points into text
 * @return    0, or -EINVAL without a number in front
 */
int value_scale(const char *text, double *ret_scale, const char **ret_unit);

/**
 * A code: decimal or 0x.
 *
 * @may_be_list  "0xb7,0xbb" is the first of them
 * @return       0, -EINVAL or -ERANGE
 */
int value_number(const char *text, bool may_be_list, uint64_t *ret);

#endif
