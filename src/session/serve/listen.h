/* listen.h: ADDR:PORT, what it means, and a socket that listens there */
#ifndef SESSION_SERVE_LISTEN_H
#define SESSION_SERVE_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

struct listen_address {
	struct sockaddr_storage addr;
	socklen_t size;
	bool is_loopback; /* nobody but this machine reaches it */
};

/**
 * "127.0.0.1:10410", "[::1]:10410", "localhost:10410"; ":10410" and "[::]:10410" are all
 * addresses of both families. Port 0: the kernel picks one.
 *
 * @return 0; -EINVAL showing the form, or that there is no such host
 */
int listen_parse(const char *text, struct listen_address *ret, struct err *err);

/**
 * A socket that listens there, without blocking, closed by exec.
 *
 * @address  its port is filled in where it was 0
 * @return   0; -EADDRINUSE naming who has the port; -EACCES, -EADDRNOTAVAIL saying what to do
 */
int listen_open(struct listen_address *address, int *ret_fd, struct err *err);

/** "127.0.0.1:10410", "[::1]:10410". @return buf */
const char *listen_name(const struct listen_address *address, char *buf, size_t size);

/** The process that listens on a TCP port: "prometheus (1234)"; "" when that is unknown. @return buf */
const char *listen_holder(unsigned port, char *buf, size_t size);

#endif
