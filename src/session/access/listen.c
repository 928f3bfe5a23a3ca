#include "session/access/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/num.h"

static bool is_loopback(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}

	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)addr)->sin6_addr;

	if (IN6_IS_ADDR_V4MAPPED(in6))
		return in6->s6_addr[12] == 127;
	return IN6_IS_ADDR_LOOPBACK(in6);
}

static int bad_form(const char *text, struct err *err)
{
	return err_set(err, EINVAL,
		       "\"%s\": must be ADDR:PORT, such as 127.0.0.1:10410, [::1]:10410 or :10410 "
		       "for all addresses, or unix:PATH",
		       text);
}

/* "[::1]:80" and "host:80" into two texts. */
static int split(const char *text, char *host, size_t size, const char **ret_port)
{
	const char *colon = strrchr(text, ':');
	const char *first = text, *end = colon;

	if (!colon)
		return -EINVAL;
	if (*text == '[') {
		first = text + 1;
		end = strchr(text, ']');
		if (!end || end + 1 != colon)
			return -EINVAL;
	} else if (strchr(text, ':') != colon) {
		return -EINVAL; /* an IPv6 address without brackets */
	}
	if ((size_t)(end - first) >= size)
		return -EINVAL;
	snprintf(host, size, "%.*s", (int)(end - first), first);
	*ret_port = colon + 1;
	return 0;
}

static int resolve(const char *host, const char *port, struct listen_address *ret)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *found;

	if (getaddrinfo(*host ? host : "::", port, &hints, &found))
		return -EINVAL;
	*ret = (struct listen_address){ .size = found->ai_addrlen };
	memcpy(&ret->addr, found->ai_addr, found->ai_addrlen);
	ret->is_loopback = is_loopback(found->ai_addr);
	snprintf(ret->host, sizeof(ret->host), "%s", host);
	freeaddrinfo(found);
	return 0;
}

static int parse_unix(const char *path, struct listen_address *ret, struct err *err)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	if (!*path || strlen(path) >= sizeof(un.sun_path))
		return err_set(err, EINVAL, "unix: needs a path of at most %zu characters",
			       sizeof(un.sun_path) - 1);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	*ret = (struct listen_address){ .size = sizeof(un), .is_loopback = true };
	memcpy(&ret->addr, &un, sizeof(un));
	return 0;
}

int listen_parse(const char *text, struct listen_address *ret, struct err *err)
{
	char host[256];
	const char *port;
	uint64_t number;

	if (strncmp(text, "unix:", 5) == 0)
		return parse_unix(text + 5, ret, err);
	if (split(text, host, sizeof(host), &port) || num_parse_u64(port, &number) ||
	    number > 65535)
		return bad_form(text, err);
	if (resolve(host, port, ret))
		return err_set(err, EINVAL, "no such address: \"%s\"", host);
	return 0;
}

static unsigned port_of(const struct listen_address *address)
{
	if (address->addr.ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)&address->addr)->sin_port);
	return ntohs(((const struct sockaddr_in6 *)&address->addr)->sin6_port);
}

const char *listen_name(const struct listen_address *address, char *buf, size_t size)
{
	char host[INET6_ADDRSTRLEN] = "";
	bool is_v4 = address->addr.ss_family == AF_INET;

	if (address->addr.ss_family == AF_UNIX) {
		snprintf(buf, size, "unix:%s",
			 ((const struct sockaddr_un *)&address->addr)->sun_path);
		return buf;
	}
	if (is_v4)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)&address->addr)->sin_addr, host,
			  sizeof(host));
	else
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, host,
			  sizeof(host));
	snprintf(buf, size, is_v4 ? "%s:%u" : "[%s]:%u", host, port_of(address));
	return buf;
}

static int refuse(const struct listen_address *address, int error, struct err *err)
{
	char name[LISTEN_NAME_MAX], holder[80];

	listen_name(address, name, sizeof(name));
	switch (error) {
	case EADDRINUSE:
		listen_holder(port_of(address), holder, sizeof(holder));
		return err_set(err, error,
			       "%s is in use%s%s: end that, or choose another port with --listen "
			       "ADDR:PORT",
			       name, *holder ? " by " : "", holder);
	case EADDRNOTAVAIL:
		return err_set(
			err, error,
			"%s: this machine has no such address; `ip address` lists its addresses",
			name);
	case EACCES:
		return err_set(err, error,
			       "%s: a port below 1024 needs root or CAP_NET_BIND_SERVICE", name);
	default: return err_set(err, error, "%s: %s", name, strerror(error));
	}
}

int listen_open(struct listen_address *address, int *ret_fd, struct err *err)
{
	const int on = 1, off = 0;

	if (address->addr.ss_family == AF_UNIX)
		return listen_unix_open(address, ret_fd, err);

	int fd = socket(address->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return refuse(address, errno, err);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->addr.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, (const struct sockaddr *)&address->addr, address->size) ||
	    listen(fd, LISTEN_BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&address->addr, &address->size)) {
		int rc = refuse(address, errno, err);

		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}
