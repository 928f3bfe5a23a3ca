/* peer.h: who is at the other end, as far as limits tell clients apart */
#ifndef SESSION_ACCESS_PEER_H
#define SESSION_ACCESS_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* An IPv4 address, mapped into IPv6 or not; the /64 of an IPv6 address, all of which one subscriber
 * has; the user behind a Unix socket. */
struct peer {
	sa_family_t family;
	uint64_t number;
};

/** @addr  of the other end of the connection @fd */
struct peer peer_of(const struct sockaddr *addr, int fd);

/** Is it the same one? */
bool peer_is(struct peer a, struct peer b);

#endif
