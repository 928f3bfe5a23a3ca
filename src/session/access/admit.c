#include "session/access/admit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- the user ---- */

/* The kernel's word on who connected. */
static bool is_user(const struct admit *admit, int fd)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || size != sizeof(peer))
		return false;
	return peer.uid == admit->user || peer.uid == 0;
}

/* ---- the host ---- */

/* "[::1]:80", "host:80", "host." without port, brackets and the point at the end. @return it fits */
static bool bare_host(const char *header, char *ret, size_t size)
{
	bool is_v6 = *header == '[';
	size_t n = strcspn(header += is_v6, is_v6 ? "]" : ":");

	if (n && header[n - 1] == '.')
		n--;
	return (size_t)snprintf(ret, size, "%.*s", (int)n, header) < size;
}

/* IPv4 as IPv6 has it, so that one comparison does. @return false: it is no address */
static bool address_of(const char *host, struct in6_addr *ret)
{
	char mapped[INET6_ADDRSTRLEN + sizeof("::ffff:")];

	snprintf(mapped, sizeof(mapped), "::ffff:%.45s", host);
	return inet_pton(AF_INET6, host, ret) == 1 || inet_pton(AF_INET6, mapped, ret) == 1;
}

/* Where the connection came to, though it listens on all addresses. */
static bool came_to(int fd, const struct in6_addr *wanted)
{
	struct listen_address here = { .size = sizeof(here.addr) };
	char name[LISTEN_NAME_MAX], host[LISTEN_NAME_MAX];
	struct in6_addr local;

	if (getsockname(fd, (struct sockaddr *)&here.addr, &here.size))
		return false;
	return bare_host(listen_name(&here, name, sizeof(name)), host, sizeof(host)) &&
	       address_of(host, &local) && memcmp(&local, wanted, sizeof(local)) == 0;
}

static bool is_in_list(const char *list, const char *host)
{
	for (size_t n; list && *list; list += n) {
		list += strspn(list, ", ");
		n = strcspn(list, ", ");
		if (n == strlen(host) && strncasecmp(list, host, n) == 0)
			return true;
	}
	return false;
}

static bool is_own_name(const struct listen_address *address, const char *host)
{
	char machine[256] = "";

	if (*address->host && strcasecmp(host, address->host) == 0)
		return true;
	if (address->is_loopback)
		return strcasecmp(host, "localhost") == 0;
	return !gethostname(machine, sizeof(machine) - 1) && strcasecmp(host, machine) == 0;
}

static bool is_for_us(const struct admit *admit, int fd, const char *header)
{
	char host[256];
	struct in6_addr address;

	if (!bare_host(header, host, sizeof(host)) || !*host)
		return false;
	if (is_own_name(admit->address, host) || is_in_list(admit->hosts, host))
		return true;
	return address_of(host, &address) && came_to(fd, &address);
}

enum admit_verdict admit_check(const struct admit *admit, int fd, const char *host)
{
	if (admit->address->addr.ss_family == AF_UNIX)
		return !admit->user_only || is_user(admit, fd) ? ADMIT_OK : ADMIT_OTHER_USER;
	return admit->any_host || !host || is_for_us(admit, fd, host) ? ADMIT_OK : ADMIT_OTHER_HOST;
}
