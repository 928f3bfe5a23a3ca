/* inputs.h: what is read is not what is written */
#ifndef CMD_SHARED_INPUTS_H
#define CMD_SHARED_INPUTS_H

#include "cmd/options/options.h"

/**
 * Is the file that is to be written one of those to be read, by whatever name? Neither --force nor
 * --append is meant so.
 *
 * @output  "-": standard output
 * @return  0; -EINVAL naming the file
 */
int inputs_spare(const struct options *options, const char *output, struct err *err);

/** The same of a file that is open for writing. */
int inputs_spare_fd(const struct options *options, int fd, struct err *err);

#endif
