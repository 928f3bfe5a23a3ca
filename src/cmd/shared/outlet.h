/* outlet.h: standard output and standard error, as people see them */
#ifndef CMD_SHARED_OUTLET_H
#define CMD_SHARED_OUTLET_H

#include <stdio.h>

/**
 * From now on `stdout` and `stderr` write what base/shown.h makes of what is printed; their descriptors
 * are as they were. Before anything is printed, main thread; without memory they stay as they are.
 */
void outlet_open(void);

/** Back to the beginning of a terminal's line, and nothing on it any more. @out  stdout or stderr */
void outlet_clear_line(FILE *out);

#endif
