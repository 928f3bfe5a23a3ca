/* sink_out.h: bytes to a descriptor that may be a pipe nobody reads any more */
#ifndef SESSION_WRITE_SINK_OUT_H
#define SESSION_WRITE_SINK_OUT_H

#include <stdbool.h>
#include <sys/types.h>

struct sink_out {
	int fd;
	bool is_stream;  /* a pipe, a terminal: may be full */
	int stop_fd;     /* readable: do not wait for readers any more; -1: none */
	bool is_hurried; /* likewise */
};

/** Write some of n bytes. @return how many; -1 with errno set: ETIMEDOUT when nobody reads and we are
 * to end */
ssize_t sink_out_write(const struct sink_out *out, const char *bytes, size_t n);

#endif
