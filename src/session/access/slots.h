/* slots.h: the connections of a server, and which of them gives way when there are too many */
#ifndef SESSION_ACCESS_SLOTS_H
#define SESSION_ACCESS_SLOTS_H

#include "session/access/peer.h"

enum {
	SLOTS_STRANGERS = 32, /* connections that have shown no password, … */
	SLOTS_PER_PEER = 8,   /* … of one address */
	SLOTS_KNOWN = 16,     /* those that have */
	SLOTS_ENDING = 32,    /* room for those cut off that the server has not closed yet */
	SLOTS_MAX = SLOTS_STRANGERS + SLOTS_KNOWN + SLOTS_ENDING,
};

struct slot {
	int fd; /* -1: free */
	struct peer peer;
	bool is_known;        /* has shown a password */
	bool is_busy;         /* is being answered; else we wait for its next request */
	bool is_over;         /* cut off */
	uint64_t since_ns;    /* when it became busy or not */
	uint64_t deadline_ns; /* when to cut it off */
};

struct slots {
	/* a server may have accepted one more than it serves */
	struct slot slot[SLOTS_MAX + 1];
};

/** All free. */
void slots_init(struct slots *slots);

/**
 * A slot for a connection that came. When there are too many, of its peer or of all that have shown
 * no password, another one is cut off: the oldest idle one of the peer that has most, or when all of
 * that peer's are being answered the oldest of those.
 *
 * @now_ns  on any steady clock, likewise below
 * @return  NULL: none is free
 */
struct slot *slots_take(struct slots *slots, int fd, struct peer peer, uint64_t now_ns);

/** Its connection was closed. */
void slots_give_back(struct slot *slot);

/** It has shown a password and gets one of the slots that strangers cannot take. */
void slots_know(struct slots *slots, struct slot *slot);

/** A request of it is there, or is answered and done. */
void slots_set_busy(struct slot *slot, bool is_busy, uint64_t now_ns);

/** Cut off those whose deadline has passed. The server sees the end of each and closes it. */
void slots_end_late(struct slots *slots, uint64_t now_ns);

#endif
