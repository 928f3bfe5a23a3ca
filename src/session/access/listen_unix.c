/* A Unix socket: its file belongs to the user who called sudo. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/invoker.h"
#include "session/access/listen.h"

static const char *path_of(const struct listen_address *address)
{
	return ((const struct sockaddr_un *)&address->addr)->sun_path;
}

/* Does nobody listen at it? Who is killed leaves the file behind. */
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

static int refuse(const struct listen_address *address, int code, struct err *err)
{
	return err_set(err, code, "unix:%s: %s%s", path_of(address), strerror(code),
		       code == EADDRINUSE ? ": something else is there; choose another path" : "");
}

int listen_unix_open(const struct listen_address *address, int *ret_fd, struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct invoker_was was;
	int rc;

	if (fd < 0)
		return refuse(address, errno, err);
	rc = invoker_become(&was);
	if (!rc)
		rc = bind_there(address, fd);
	invoker_return(&was);
	if (!rc && listen(fd, LISTEN_BACKLOG))
		rc = -errno;
	if (rc) {
		close(fd);
		return refuse(address, -rc, err);
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
