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
#include "base/text.h"
#include "base/utf8.h"

const struct cgroup cgroup_unknown = { .path = "[unknown]", .name = "[unknown]" };

/* Copy text with `?` for hidden and invalid characters. @ret  as long as the text */
static void copy_printable(const char *text, char *ret)
{
	while (*text) {
		const char *from = text;
		wchar_t c = utf8_next(&text);

		if (c == UTF8_REPLACEMENT || utf8_is_hidden(c))
			*ret++ = '?';
		else
			ret = mempcpy(ret, from, (size_t)(text - from));
	}
	*ret = '\0';
}

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
	one.name = malloc(strlen(name) + 1);
	if (one.name)
		copy_printable(name + (*name == '/'), one.name); /* docker's "/web" */
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
	pthread_mutex_lock(&lock);
	container_add(container_id_in(path), name);
	pthread_mutex_unlock(&lock);
}

/* Parse a file of JSON. @return NULL: this user may not read it, or it is none */
static cJSON *read_json(const char *path)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;

	return file_read(path, CONTAINER_BYTES, &bytes, &n) ? NULL : cJSON_Parse(bytes);
}

static void read_podman(const char *storage)
{
	char path[PATH_MAX];
	const cJSON *one;
	cJSON *all;

	snprintf(path, sizeof(path), "%s/overlay-containers/containers.json", storage);
	all = read_json(path);
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

		cJSON *one = *entry->d_name == '.' ? NULL : read_json(path);

		container_add(cJSON_GetStringValue(cJSON_GetObjectItem(one, "ID")),
			      cJSON_GetStringValue(cJSON_GetObjectItem(one, "Name")));
		cJSON_Delete(one);
	}
}

void cgroup_read_containers(void)
{
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	if (known.n)
		return;
	read_docker("/var/lib/docker/containers");
	read_podman("/var/lib/containers/storage");
	snprintf(path, sizeof(path), "%s/.local/share/containers/storage", home ? home : "");
	read_podman(path);
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

	if (known_as)
		snprintf(name, strlen(name) + 1, "%s", known_as);
	else if (id)
		id[CONTAINER_SHORT] = '\0';
}

/* Write the last part of a path as users know it. @ret  as long as the part */
static void name_part(const char *part, char *ret)
{
	static const char *const suffix[] = { ".slice",  ".scope", ".service",
					      ".socket", ".mount", ".swap" };
	char decoded[PATH_MAX];
	char *dot;

	snprintf(decoded, sizeof(decoded), "%s", part);
	dot = strrchr(decoded, '.');
	for (size_t i = 0; dot && i < ARRAY_SIZE(suffix); i++)
		if (dot > decoded && strcmp(dot, suffix[i]) == 0) {
			*dot = '\0';
			break;
		}
	unescape(decoded, decoded);
	name_container(decoded);
	utf8_copy(decoded, ret, strlen(decoded) + 1);
}

/* ---- cgroups by path ---- */

enum { PLACES_MIN = 1 << 10, BYTES_MAX = 64 << 20 };

static struct cgroup **place; /* hash table; never smaller than twice the cgroups */
static size_t n_places, n_cgroups, n_bytes;

static struct cgroup **place_of(const char *path)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	size_t i;

	for (const char *c = path; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	for (i = hash & (n_places - 1); place[i] && strcmp(place[i]->path, path) != 0;)
		i = (i + 1) & (n_places - 1);
	return &place[i];
}

static bool make_place(void)
{
	struct cgroup **old = place;
	size_t n_old = n_places;

	if (2 * n_cgroups < n_places)
		return true;
	place = calloc(n_old ? 2 * n_old : PLACES_MIN, sizeof(struct cgroup *));
	if (!place) {
		place = old;
		return false;
	}
	n_places = n_old ? 2 * n_old : PLACES_MIN;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*place_of(old[i]->path) = old[i];
	free(old);
	return true;
}

/* Find or add a printable path below its parent. @return NULL: no room */
static const struct cgroup *take(const char *path, const char *part, const struct cgroup *parent)
{
	size_t n = strlen(path) + 1, size = sizeof(struct cgroup) + n + strlen(part) + 1;
	struct cgroup *made;
	char *text;

	if (!make_place())
		return NULL;
	if (*place_of(path))
		return *place_of(path);
	made = n_bytes + size > BYTES_MAX ? NULL : malloc(size);
	if (!made)
		return NULL;
	text = (char *)(made + 1);
	*made = (struct cgroup){ parent, parent ? parent->depth + 1 : 0, text, text + n };
	memcpy(text, path, n);
	name_part(part, text + n);
	n_bytes += size;
	n_cgroups++;
	*place_of(path) = made;
	return made;
}

const struct cgroup *cgroup_get(const char *untrusted)
{
	char path[2 * PATH_MAX], raw[2 * PATH_MAX];
	const struct cgroup *at, *next;

	snprintf(raw, sizeof(raw), "%s", untrusted);
	utf8_copy(raw, path, sizeof(path));
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

	for (int columns = text_columns(names) + cut; columns > width; columns--)
		utf8_next(&end);
	snprintf(buf, size, "%s%s", cut ? "…" : "", end);
	return buf;
}

/* ---- ids ---- */

enum { CHAINS = 1 << 12, LIVES_MAX = 1 << 20 };

static uint32_t *chain_of(const struct cgroup_ids *ids, uint64_t id)
{
	return &ids->chain[(id * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

const struct cgroup *cgroup_ids_find(const struct cgroup_ids *ids, uint64_t id, uint64_t t_ns)
{
	const struct cgroup *oldest = NULL;

	for (uint32_t at = ids->chain ? *chain_of(ids, id) : 0; at; at = ids->life[at - 1].next) {
		const struct cgroup_life *life = &ids->life[at - 1];

		if (life->id != id)
			continue;
		oldest = life->cgroup;
		if (life->from_ns <= t_ns)
			break;
	}
	return oldest;
}

void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, uint64_t from_ns, const char *path)
{
	struct cgroup_life life = { .id = id, .from_ns = from_ns, .cgroup = cgroup_get(path) };

	if (cgroup_ids_find(ids, id, from_ns) == life.cgroup)
		return;
	if (ids->n == LIVES_MAX) /* those that are needed are looked up again */
		cgroup_ids_clear(ids);
	if (!ids->chain)
		ids->chain = calloc(CHAINS, sizeof(*ids->chain));
	if (!ids->chain)
		return;
	life.next = *chain_of(ids, id);
	if (!array_append((void **)&ids->life, &ids->cap, &ids->n, &life, sizeof(life)))
		*chain_of(ids, id) = (uint32_t)ids->n;
}

void cgroup_ids_clear(struct cgroup_ids *ids)
{
	free(ids->life);
	free(ids->chain);
	*ids = (struct cgroup_ids){ 0 };
}
