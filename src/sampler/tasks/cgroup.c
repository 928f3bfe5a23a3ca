#include "sampler/tasks/cgroup.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"
#include "base/text.h"
#include "base/utf8.h"

const struct cgroup cgroup_unknown = { .path = "[unknown]", .name = "[unknown]" };

/* ---- names of containers ---- */

enum { CONTAINER_ID = 64, CONTAINER_SHORT = 12, CONTAINERS_MAX = 4096, CONTAINER_BYTES = 4 << 20 };

#define HEX "0123456789abcdef"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the containers and the cgroups */

struct container {
	char id[CONTAINER_ID + 1];
	char *name;
};

static struct {
	struct container *container;
	size_t n, cap;
} known;

/* @id  the text may go on behind it  @return NULL: not known */
static const char *container_name(const char *id)
{
	for (size_t i = 0; i < known.n; i++)
		if (strncmp(known.container[i].id, id, CONTAINER_ID) == 0)
			return known.container[i].name;
	return NULL;
}

/* @id, @name  NULL is ignored */
static void container_add(const char *id, const char *name)
{
	struct container one = { "", NULL };

	if (!id || !name || known.n == CONTAINERS_MAX || strspn(id, HEX) != CONTAINER_ID ||
	    container_name(id))
		return;
	snprintf(one.id, sizeof(one.id), "%s", id);
	one.name = malloc(4 * strlen(name) + 1);
	if (one.name) /* docker's "/web" */
		utf8_copy(name + (*name == '/'), one.name, 4 * strlen(name) + 1);
	if (one.name &&
	    array_append((void **)&known.container, &known.cap, &known.n, &one, sizeof(one)))
		free(one.name);
}

/* Find the innermost id of a container in a path. What docker, podman, containerd and cri-o put before the id
 * ends with `-`. @return NULL: none */
static const char *container_id_in(const char *path)
{
	const char *found = NULL;
	size_t n;

	for (const char *c = path; *c; c += n ? n : 1) {
		n = strspn(c, HEX);
		if (n == CONTAINER_ID && (c == path || strchr("/-", c[-1])) && strchr("/.", c[n]))
			found = c;
	}
	return found;
}

const char *cgroup_container(const struct cgroup *cgroup)
{
	const char *id = container_id_in(cgroup->path), *name = NULL;

	pthread_mutex_lock(&lock);
	if (id)
		name = container_name(id);
	pthread_mutex_unlock(&lock);
	return name;
}

void cgroup_name_container(const char *path, const char *name)
{
	char raw[PATH_MAX];

	snprintf(raw, sizeof(raw), "%s", name);
	utf8_restore(raw);
	pthread_mutex_lock(&lock);
	container_add(container_id_in(path), raw);
	pthread_mutex_unlock(&lock);
}

/* file_read, or invoker_read for files that the invoker may change */
typedef int reads(const char *path, size_t max, char **ret, size_t *ret_n);

/* Parse a file of JSON. @return NULL: this user may not read it, or it is none */
static cJSON *read_json(const char *path, reads *read)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;

	return read(path, CONTAINER_BYTES, &bytes, &n) ? NULL : cJSON_Parse(bytes);
}

static void read_podman(const char *storage, reads *read)
{
	char path[PATH_MAX];
	const cJSON *one;
	cJSON *all;

	snprintf(path, sizeof(path), "%s/overlay-containers/containers.json", storage);
	all = read_json(path, read);
	for (one = all ? all->child : NULL; one; one = one->next)
		container_add(cJSON_GetStringValue(cJSON_GetObjectItem(one, "id")),
			      cJSON_GetStringValue(
				      cJSON_GetArrayItem(cJSON_GetObjectItem(one, "names"), 0)));
	cJSON_Delete(all);
}

static void read_docker(const char *folder)
{
	AUTO_DIR DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/config.v2.json", folder, entry->d_name);

		cJSON *one = *entry->d_name == '.' ? NULL : read_json(path, file_read);

		container_add(cJSON_GetStringValue(cJSON_GetObjectItem(one, "ID")),
			      cJSON_GetStringValue(cJSON_GetObjectItem(one, "Name")));
		cJSON_Delete(one);
	}
}

void cgroup_read_containers(void)
{
	static const char storage[] = "/.local/share/containers/storage";
	char path[PATH_MAX];

	if (known.n)
		return;
	read_docker("/var/lib/docker/containers");
	read_podman("/var/lib/containers/storage", file_read);
	if (invoker_home(path, sizeof(path) - sizeof(storage)))
		return;
	memcpy(path + strlen(path), storage, sizeof(storage));
	read_podman(path, invoker_read);
}

/* ---- names ---- */

/* Decode systemd's "\x2d". Source: systemd.unit(5) */
static void unescape(const char *text, char *ret)
{
	for (; *text; text++) {
		char digits[3] = "";

		if (text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
		    isxdigit((unsigned char)text[3]))
			memcpy(digits, text + 2, 2);
		*ret = digits[0] ? (char)strtol(digits, NULL, 16) : *text;
		ret += *ret != '\0';
		text += digits[0] ? 3 : 0;
	}
	*ret = '\0';
}

/* Replace the id of a container by its name, with what is before the id, else cut it. */
static void name_container(char *name)
{
	char *id = (char *)(uintptr_t)container_id_in(name);
	const char *known_as = id ? container_name(id) : NULL;

	if (known_as) {
		snprintf(name, strlen(name) + 1, "%s", known_as);
		utf8_restore(name);
	} else if (id) {
		id[CONTAINER_SHORT] = '\0';
	}
}

/* Write the last part of a path as users know it. @ret  as long as the part */
static void name_part(const char *part, char *ret)
{
	static const char *const suffix[] = { ".slice",  ".scope", ".service",
					      ".socket", ".mount", ".swap" };
	char decoded[PATH_MAX];
	char *dot;

	snprintf(decoded, sizeof(decoded), "%s", part);
	utf8_restore(decoded);
	dot = strrchr(decoded, '.');
	for (size_t i = 0; dot && i < ARRAY_SIZE(suffix); i++)
		if (dot > decoded && strcmp(dot, suffix[i]) == 0) {
			*dot = '\0';
			break;
		}
	unescape(decoded, decoded);
	name_container(decoded);
	utf8_copy(decoded, ret, strlen(part) + 1);
}

/* ---- cgroups by path ---- */

enum { BYTES_MAX = 64 << 20 };

static struct hash cgroups; /* struct cgroup, by path */
static size_t n_bytes;

/* Find or add a printable path below its parent. @return NULL: no room */
static const struct cgroup *take(const char *path, const char *part, const struct cgroup *parent)
{
	size_t n = strlen(path) + 1, size = sizeof(struct cgroup) + n + strlen(part) + 1;
	uint64_t hash = hash_text(0, path);
	struct cgroup *made;
	char *text;

	hash_each(&cgroups, hash, made)
		if (strcmp(made->path, path) == 0)
			return made;
	made = n_bytes + size > BYTES_MAX ? NULL : malloc(size);
	if (!made || hash_add(&cgroups, hash, made)) {
		free(made);
		return NULL;
	}
	text = (char *)(made + 1);
	*made = (struct cgroup){ parent, parent ? parent->depth + 1 : 0, text, text + n };
	memcpy(text, path, n);
	name_part(part, text + n);
	n_bytes += size;
	return made;
}

const struct cgroup *cgroup_get(const char *untrusted)
{
	char path[2 * PATH_MAX];
	const struct cgroup *at, *next;

	utf8_copy(untrusted, path, sizeof(path));
	pthread_mutex_lock(&lock);
	at = take("/", "/", NULL);
	if (at && *path && *path != '/')
		at = take(path, path, at);
	for (char *end = path; at && *end == '/' && end[1];) {
		const char *part = end + 1;
		char was;

		end += 1 + strcspn(part, "/");
		was = *end;
		*end = '\0';
		next = take(path, part, at);
		*end = was;
		if (!next)
			break;
		at = next;
	}
	pthread_mutex_unlock(&lock);
	return at ? at : &cgroup_unknown;
}

const struct cgroup *cgroup_of_shown(const char *path)
{
	char raw[2 * PATH_MAX];

	snprintf(raw, sizeof(raw), "%s", path);
	utf8_restore(raw);
	return cgroup_get(raw);
}

bool cgroup_is_in(const struct cgroup *cgroup, const struct cgroup *above)
{
	while (cgroup && cgroup->depth > above->depth)
		cgroup = cgroup->parent;
	return cgroup == above;
}

int cgroup_compare(const struct cgroup *a, const struct cgroup *b)
{
	const unsigned char *left = (const unsigned char *)a->path,
			    *right = (const unsigned char *)b->path;

	if (a == b)
		return 0;
	while (*left && *left == *right) {
		left++;
		right++;
	}
	/* a path comes before those that go on from it, and these before others */
	return (*left == '/' ? 1
		: *left      ? *left + 1
			     : 0) -
	       (*right == '/' ? 1
		: *right      ? *right + 1
			      : 0);
}

const char *cgroup_names(const struct cgroup *cgroup, char *buf, size_t size)
{
	if (!cgroup->parent) {
		snprintf(buf, size, "%s", cgroup->name);
		return buf;
	}
	if (cgroup->parent->parent)
		cgroup_names(cgroup->parent, buf, size);
	else
		buf[0] = '\0';
	return buf_printf(buf, size, "%s%s", *cgroup->path == '/' ? "/" : "", cgroup->name);
}

const char *cgroup_names_fit(const struct cgroup *cgroup, int width, char *buf, size_t size)
{
	char names[2 * PATH_MAX];
	const char *end = cgroup_names(cgroup, names, sizeof(names));
	int cut = text_columns(names) > width;

	for (int columns = text_columns(names) + cut; columns > width;)
		columns -= utf8_columns(utf8_next(&end));
	snprintf(buf, size, "%s%s", cut ? "…" : "", end);
	return buf;
}

/* ---- ids ---- */

enum { LIVES_MAX = 1 << 20 };

const struct cgroup *cgroup_ids_find(const struct cgroup_ids *ids, uint64_t id, uint64_t t_ns)
{
	size_t oldest = SIZE_MAX,
	       newest = 0; /* numbers + 1 of the lives; newest: that began by t_ns */
	void *item;

	hash_each(&ids->by_id, hash_mix(0, id), item) {
		size_t i = hash_number(item);

		if (ids->life[i].id != id)
			continue;
		oldest = i < oldest ? i : oldest;
		if (ids->life[i].from_ns <= t_ns && i >= newest)
			newest = i + 1;
	}
	return newest               ? ids->life[newest - 1].cgroup
	       : oldest != SIZE_MAX ? ids->life[oldest].cgroup
				    : NULL;
}

void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, uint64_t from_ns, const char *path)
{
	struct cgroup_life life = { .id = id, .from_ns = from_ns, .cgroup = cgroup_get(path) };

	if (cgroup_ids_find(ids, id, from_ns) == life.cgroup)
		return;
	if (ids->n == LIVES_MAX) /* those that are needed are looked up again */
		cgroup_ids_clear(ids);
	if (!array_reserve((void **)&ids->life, &ids->cap, ids->n, sizeof(life)) &&
	    !hash_add(&ids->by_id, hash_mix(0, id), hash_item(ids->n)))
		ids->life[ids->n++] = life;
}

void cgroup_ids_clear(struct cgroup_ids *ids)
{
	free(ids->life);
	hash_fini(&ids->by_id);
	*ids = (struct cgroup_ids){ 0 };
}
