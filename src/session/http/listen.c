#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/invoker.h"
#include "base/num.h"
#include "pmu/machine.h"
#include "session/http.h"

/* A Unix socket: its file belongs to the user who called sudo. */

static const char *path_of(const struct listen_address *address)
{
	return ((const struct sockaddr_un *)&address->addr)->sun_path;
}

/* Whether no process listens on the socket file: a killed process leaves it behind. */
static bool is_dead(const struct listen_address *address)
{
	AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	return fd >= 0 && !lstat(path_of(address), &st) && S_ISSOCK(st.st_mode) &&
	       connect(fd, (const struct sockaddr *)&address->addr, address->size) &&
	       errno == ECONNREFUSED;
}

static int bind_there(const struct listen_address *address, int fd)
{
	const struct sockaddr *addr = (const struct sockaddr *)&address->addr;
	int rc = bind(fd, addr, address->size) ? -errno : 0;

	if (rc == -EADDRINUSE && is_dead(address) && !unlink(path_of(address)))
		rc = bind(fd, addr, address->size) ? -errno : 0;
	return rc;
}

static int listen_unix_refuse(const struct listen_address *address, int code, struct err *err)
{
	return err_set(err, code, "unix:%s: %s%s", path_of(address), strerror(code),
		       code == EADDRINUSE ? ": something else is there; choose another path" : "");
}

/* Open a Unix socket, as listen_open. */
static int listen_unix_open(const struct listen_address *address, int *ret_fd, struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct invoker_was was;
	int rc;

	if (fd < 0)
		return listen_unix_refuse(address, errno, err);
	rc = invoker_become(&was);
	if (!rc)
		rc = bind_there(address, fd);
	invoker_return(&was);
	if (!rc && listen(fd, LISTEN_BACKLOG))
		rc = -errno;
	if (rc) {
		close(fd);
		return listen_unix_refuse(address, -rc, err);
	}
	*ret_fd = fd;
	return 0;
}

void listen_remove(const struct listen_address *address)
{
	struct invoker_was was;

	if (address->addr.ss_family != AF_UNIX)
		return;
	if (!invoker_become(&was))
		unlink(path_of(address));
	invoker_return(&was);
}

/* Process that listens on a port: /proc/net/tcp has the inode of its socket, /proc/PID/fd its descriptors. */

enum { STATE_LISTEN = 0x0a };

/* Find word n of a line, from 0. @return "" if there are fewer */
static const char *word(const char *line, unsigned n)
{
	for (line += strspn(line, " "); n > 0; n--) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return line;
}

/* Find the inode of the socket that listens on a port. Lines: sl: local:port remote:port st tx:rx tr:when retrnsmt uid
 * timeout inode … @return 0: none */
static unsigned long find_inode(const char *path, unsigned port)
{
	AUTO_FILE FILE *file = fopen(path, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		const char *colon = strchr(word(line, 1), ':');

		if (colon && strtoul(colon + 1, NULL, 16) == port &&
		    strtoul(word(line, 3), NULL, 16) == STATE_LISTEN)
			return strtoul(word(line, 9), NULL, 10);
	}
	return 0;
}

static void name_process(const char *pid, char *buf, size_t size)
{
	char name[32];

	if (sysfs_process_name(pid, name, sizeof(name)) < 0)
		snprintf(name, sizeof(name), "a process");
	snprintf(buf, size, "%.31s (pid %s)", name, pid);
}

/* Name the process that listens on a TCP port: "prometheus (1234)"; "" if unknown. @return buf */
static const char *listen_holder(unsigned port, char *buf, size_t size)
{
	unsigned long inode = find_inode("/proc/net/tcp", port);
	const struct dirent *entry;
	char socket[48];

	buf[0] = '\0';
	if (!inode)
		inode = find_inode("/proc/net/tcp6", port);
	if (!inode)
		return buf;

	snprintf(socket, sizeof(socket), "socket:[%lu]", inode);

	AUTO_DIR DIR *dir = opendir("/proc");

	while (!*buf && dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    sysfs_process_has(entry->d_name, socket))
			name_process(entry->d_name, buf, size);
	return buf;
}

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

/* Split "[::1]:80" or "host:80" into host and port. */
static int listen_split(const char *text, char *host, size_t size, const char **ret_port)
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

static int listen_resolve(const char *host, const char *port, struct listen_address *ret)
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
	if (listen_split(text, host, sizeof(host), &port) || num_parse_u64(port, &number) ||
	    number > 65535)
		return bad_form(text, err);
	if (listen_resolve(host, port, ret))
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
		snprintf(buf, size, "unix:%s", path_of(address));
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

static int listen_refuse(const struct listen_address *address, int error, struct err *err)
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
		return listen_refuse(address, errno, err);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->addr.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, (const struct sockaddr *)&address->addr, address->size) ||
	    listen(fd, LISTEN_BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&address->addr, &address->size)) {
		int rc = listen_refuse(address, errno, err);

		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}
