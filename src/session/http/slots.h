/* slots.h: the clients of a server, its connections, and the choice of one to close when there are too many */
#ifndef SESSION_HTTP_SLOTS_H
#define SESSION_HTTP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* An IPv4 address, also when mapped into IPv6; the /64 prefix of an IPv6 address, which one subscriber has; the user at
 * a Unix socket. */
struct peer {
	sa_family_t family;
	uint64_t number;
};

/** Get the peer of a connection. @addr  its remote address  @fd  its socket */
struct peer peer_of(const struct sockaddr *addr, int fd);

/** Whether two peers are the same. */
bool peer_is(struct peer a, struct peer b);

enum {
	SLOTS_UNAUTHENTICATED = 32, /* connections without a correct password … */
	SLOTS_PER_PEER = 8,         /* … per peer */
	SLOTS_AUTHENTICATED = 16,   /* connections with a correct password */
	SLOTS_ENDING = 32, /* room for disconnected ones that the server has not closed yet */
	SLOTS_MAX = SLOTS_UNAUTHENTICATED + SLOTS_AUTHENTICATED + SLOTS_ENDING,
};

struct slot {
	int fd; /* -1: free */
	struct peer peer;
	bool is_known;        /* has sent a correct password */
	bool is_busy;         /* its request is being answered; false: waiting for a request */
	bool is_over;         /* disconnected */
	uint64_t since_ns;    /* last change of is_busy */
	uint64_t deadline_ns; /* when it is disconnected */
};

struct slots {
	/* a server may accept one connection more than it serves */
	struct slot slot[SLOTS_MAX + 1];
};

/** Mark all slots as free. */
void slots_init(struct slots *slots);

/**
 * Take a slot for a new connection. If there are too many without a password, of its peer or in total, another one is
 * disconnected: the oldest idle one of the peer that has most, or its oldest busy one if none is idle.
 *
 * @now_ns  of any steady clock, likewise below
 * @return  NULL: no free slot
 */
struct slot *slots_take(struct slots *slots, int fd, struct peer peer, uint64_t now_ns);

/** Free the slot of a closed connection. */
void slots_give_back(struct slot *slot);

/** Move a connection with a correct password to the slots reserved for such. */
void slots_know(struct slots *slots, struct slot *slot);

/** Set whether a request is being answered. */
void slots_set_busy(struct slot *slot, bool is_busy, uint64_t now_ns);

/** Disconnect those whose deadline has passed. The server sees the end of each and closes it. */
void slots_end_late(struct slots *slots, uint64_t now_ns);

#endif
