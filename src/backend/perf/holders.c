#include "backend/perf/perf.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "machine/sysfs.h"

enum { NAMED_MAX = 4 };

static bool has_perf_event(const char *pid)
{
	char dir[300], path[600], target[64];
	bool found = false;

	snprintf(dir, sizeof(dir), "/proc/%s/fd", pid);

	DIR *fds = opendir(dir);

	for (struct dirent *entry; fds && !found && (entry = readdir(fds));) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);

		ssize_t n = readlink(path, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = strcmp(target, "anon_inode:[perf_event]") == 0;
	}
	if (fds)
		closedir(fds);
	return found;
}

static bool is_other(const char *name)
{
	uint64_t pid;

	return num_parse_u64(name, &pid) == 0 && pid != (uint64_t)getpid();
}

static size_t append(const char *text, size_t used, char *buf, size_t size)
{
	int n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", text);

	return used + (size_t)n < size ? used + (size_t)n : size - 1;
}

static size_t add_holder(const char *pid, size_t used, char *buf, size_t size)
{
	char name[32], text[64];

	if (sysfs_process_name(pid, name, sizeof(name)) < 0)
		return used;
	snprintf(text, sizeof(text), "%s (%.20s)", name, pid);
	return append(text, used, buf, size);
}

/* Cores that watch each other ("buddies") need no counter; only the symbol tells that they do. */
static bool has_buddies(const char *root)
{
	char path[300], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);

	FILE *symbols = fopen(path, "re");

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = strstr(line, " watchdog_buddy_") != NULL;
	if (symbols)
		fclose(symbols);
	return found;
}

bool perf_watchdog_holds(const char *root)
{
	return perf_has_watchdog(root) && !has_buddies(root);
}

const char *perf_holders(struct backend *backend, char *buf, size_t size)
{
	struct dirent **entry;
	size_t used = 0;
	unsigned named = 0;
	int n = sysfs_list("", "/proc", &entry);

	buf[0] = '\0';
	if (perf_watchdog_holds(((struct perf *)backend)->root))
		used = append("the kernel's NMI watchdog", used, buf, size);
	for (int i = 0; i < n; i++) {
		const char *pid = entry[i]->d_name;

		if (named < NAMED_MAX && is_other(pid) && has_perf_event(pid)) {
			used = add_holder(pid, used, buf, size);
			named++;
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return buf;
}
