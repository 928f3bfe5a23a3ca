/* listen.h: ADDR:PORT or unix:PATH, what it means, and a socket that listens there */
#ifndef SESSION_ACCESS_LISTEN_H
#define SESSION_ACCESS_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

enum {
	LISTEN_NAME_MAX = 128, /* "unix:" and a path are the longest */
	/* More are told apart by the limits of the server; these only wait to be accepted. */
	LISTEN_BACKLOG = 128,
};

struct listen_address {
	struct sockaddr_storage addr;
	socklen_t size;
	bool is_loopback; /* nobody but this machine reaches it */
	char host[256];   /* as it was given; "" for all addresses */
};

/**
 * "127.0.0.1:10410", "[::1]:10410", "localhost:10410"; ":10410" and "[::]:10410" are all
 * addresses of both families. Port 0: the kernel picks one. "unix:/run/m1top.sock": a Unix socket.
 *
 * @return 0; -EINVAL showing the form, or that there is no such host
 */
int listen_parse(const char *text, struct listen_address *ret, struct err *err);

/**
 * A socket that listens there, without blocking, closed by exec. A Unix socket's file is made with
 * the rights of the user who called sudo, and takes the place of one that nobody listens at.
 *
 * @address  its port is filled in where it was 0
 * @return   0; -EADDRINUSE naming who has the port; -EACCES, -EADDRNOTAVAIL saying what to do
 */
int listen_open(struct listen_address *address, int *ret_fd, struct err *err);

/** listen_open for a Unix socket. */
int listen_unix_open(const struct listen_address *address, int *ret_fd, struct err *err);

/** Remove the file of a Unix socket that listen_open made; else of no effect. */
void listen_remove(const struct listen_address *address);

/** "127.0.0.1:10410", "[::1]:10410", "unix:/run/m1top.sock". @return buf */
const char *listen_name(const struct listen_address *address, char *buf, size_t size);

/** The process that listens on a TCP port: "prometheus (1234)"; "" when that is unknown. @return buf */
const char *listen_holder(unsigned port, char *buf, size_t size);

#endif
