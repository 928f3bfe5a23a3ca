/* admit.h: who may ask at all: the host that a request is for, and the user behind a Unix socket */
#ifndef SESSION_ACCESS_ADMIT_H
#define SESSION_ACCESS_ADMIT_H

#include "session/access/listen.h"

struct admit {
	const struct listen_address *address;
	const char *hosts; /* more names of this server, commas between; NULL: none */
	bool any_host;     /* whatever the request is for */
	bool user_only;    /* at a Unix socket: only `user` and root */
	uid_t user;
};

enum admit_verdict { ADMIT_OK, ADMIT_OTHER_HOST, ADMIT_OTHER_USER };

/**
 * A page of another site whose name leads here ("DNS rebinding") may read what its browser reads;
 * its requests name that site as their host. Ours are: the address that the connection came to,
 * the name that --listen has, localhost for a loopback address, else the machine's own name, and
 * `hosts`. The port is not compared: `ssh -L` and the like change it. No browser comes through a
 * Unix socket or leaves the header out.
 *
 * @fd    of the connection
 * @host  the header; NULL: there is none
 */
enum admit_verdict admit_check(const struct admit *admit, int fd, const char *host);

#endif
