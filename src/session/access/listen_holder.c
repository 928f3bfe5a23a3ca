/* Who listens on a port: /proc/net/tcp names the socket, /proc/PID/fd who has it. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "machine/sysfs.h"
#include "session/access/listen.h"

enum { STATE_LISTEN = 0x0a };

/* Word number n of a line, from 0. @return "" when there are fewer */
static const char *word(const char *line, unsigned n)
{
	for (line += strspn(line, " "); n > 0; n--) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return line;
}

/* sl: local:port remote:port st tx:rx tr:when retrnsmt uid timeout inode … */
static unsigned long find_inode(FILE *file, unsigned port)
{
	char line[512];

	while (fgets(line, sizeof(line), file)) {
		const char *colon = strchr(word(line, 1), ':');

		if (colon && strtoul(colon + 1, NULL, 16) == port &&
		    strtoul(word(line, 3), NULL, 16) == STATE_LISTEN)
			return strtoul(word(line, 9), NULL, 10);
	}
	return 0;
}

/* The inode of the socket that listens on the port. @return 0: none */
static unsigned long inode_in(const char *path, unsigned port)
{
	AUTO_FILE FILE *file = fopen(path, "re");

	return file ? find_inode(file, port) : 0;
}

static bool has_socket(const char *pid, unsigned long inode)
{
	char path[64], wanted[48], link[48];
	const struct dirent *entry;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);

	DIR *dir = opendir(path);

	while (!found && dir && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		found = strcmp(link, wanted) == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

static void name_process(const char *pid, char *buf, size_t size)
{
	char name[32];

	if (sysfs_process_name(pid, name, sizeof(name)) < 0)
		snprintf(name, sizeof(name), "a process");
	snprintf(buf, size, "%s (pid %s)", name, pid);
}

const char *listen_holder(unsigned port, char *buf, size_t size)
{
	unsigned long inode = inode_in("/proc/net/tcp", port);
	const struct dirent *entry;

	buf[0] = '\0';
	if (!inode)
		inode = inode_in("/proc/net/tcp6", port);
	if (!inode)
		return buf;

	DIR *dir = opendir("/proc");

	while (!*buf && dir && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]) && has_socket(entry->d_name, inode))
			name_process(entry->d_name, buf, size);
	}
	if (dir)
		closedir(dir);
	return buf;
}
