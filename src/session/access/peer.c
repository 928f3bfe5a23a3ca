#include "session/access/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static struct peer of_inet(uint32_t address)
{
	return (struct peer){ AF_INET, ntohl(address) };
}

static struct peer of_inet6(const struct in6_addr *address)
{
	struct peer peer = { .family = AF_INET6 };
	uint32_t last;

	if (IN6_IS_ADDR_V4MAPPED(address)) {
		memcpy(&last, &address->s6_addr[12], sizeof(last));
		return of_inet(last);
	}
	for (unsigned i = 0; i < 8; i++)
		peer.number = peer.number << 8 | address->s6_addr[i];
	return peer;
}

static struct peer of_user(int fd)
{
	struct ucred user = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(user);

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size);
	return (struct peer){ AF_UNIX, user.uid };
}

struct peer peer_of(const struct sockaddr *addr, int fd)
{
	if (addr->sa_family == AF_INET)
		return of_inet(((const struct sockaddr_in *)addr)->sin_addr.s_addr);
	if (addr->sa_family == AF_INET6)
		return of_inet6(&((const struct sockaddr_in6 *)addr)->sin6_addr);
	return of_user(fd);
}

bool peer_is(struct peer a, struct peer b)
{
	return a.family == b.family && a.number == b.number;
}
