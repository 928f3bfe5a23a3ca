#include "symbols/place/load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/utf8.h"
#include "symbols/reader/reader.h"
#include "symbols/table/lines.h"
#include "symbols/table/table.h"

/* Requests about an object. */
struct loading {
	struct loading *next;
	struct code *code;
	struct query *table, *lines;
	const struct function *of; /* of lines */
	enum code_division division;
	char *shared; /* name of the file that its lines need, too; NULL: none is known */
	struct code_table *plain; /* read without its debug file, which is being read */
};

static struct loading *loadings;

/* Return the requests about an object. @return NULL without memory */
static struct loading *loading_of(struct code *code)
{
	if (!code->loading && (code->loading = calloc(1, sizeof(*code->loading)))) {
		code->loading->code = code;
		code->loading->next = loadings;
		loadings = code->loading;
	}
	return code->loading;
}

void load_forget(struct code *code)
{
	struct loading *loading = code->loading, **at = &loadings;

	if (!loading)
		return;
	while (*at != loading)
		at = &(*at)->next;
	*at = loading->next;
	query_free(loading->table);
	query_free(loading->lines);
	table_free(loading->plain);
	free(loading->shared);
	free(loading);
	code->loading = NULL;
	code->is_loading = false;
}

/* ---- requests ---- */

/* Begin a request about the file of an object or, with its table, about its debug files. */
static struct query *begin(enum read_what what, const struct code *code, const struct code_use *use,
			   const struct function *function, const struct code_table *plain)
{
	const struct code_key *key = code->dump ? &code->dump->key : &code->key;
	struct code_use range = *use;

	if (code->dump) {
		code_lock();
		range = code->dump->use;
		code_unlock();
	}

	struct wire_request request = {
		.what = what,
		.pid = use->pid,
		.dev_major = key->dev_major,
		.dev_minor = key->dev_minor,
		.inode = key->inode,
		.generation = code->dump ? 0 : key->generation, /* it grows */
		.start = range.start,
		.end = range.end,
		.from = function ? function->start : 0,
		.to = function ? function->start + function->size : 0,
	};

	snprintf(request.path, sizeof(request.path), "%s", key->path);
	if (plain) {
		request.build_id = plain->about.build_id;
		memcpy(request.debug_link, plain->about.debug_link, sizeof(request.debug_link));
	}
	if (function && code->loading->shared)
		snprintf(request.shared, sizeof(request.shared), "%s", code->loading->shared);
	return query_begin(&request);
}

/* Return the state of a request, which is begun first. */
static int state_of(struct query **query, enum read_what what, const struct code *code,
		    const struct code_use *use, const struct function *function,
		    const struct code_table *plain)
{
	if (!*query)
		*query = begin(what, code, use, function, plain);
	return *query ? query_state(*query) : -ENOMEM;
}

/* ---- tables ---- */

static int read_what_of(const struct code *code)
{
	switch (code->key.kind) {
	case CODE_FILE: return READ_ELF;
	case CODE_VDSO: return code->key.generation ? -ENOENT : READ_VDSO;
	case CODE_JIT: return READ_JIT;
	case CODE_KERNEL: return READ_KALLSYMS;
	default: return -ENOENT;
	}
}

int load_table(struct code *code, const struct code_use *use, struct code_table **ret)
{
	struct loading *loading = loading_of(code);
	struct code_table *table = NULL;
	int what = read_what_of(code), rc;

	if (what < 0 || !loading)
		return what < 0 ? what : -ENOMEM;
	rc = state_of(&loading->table, (enum read_what)what, code, use, NULL, loading->plain);
	if (rc == -EINPROGRESS)
		return rc;
	if (!rc)
		rc = query_table(loading->table, &table);
	query_free(loading->table);
	loading->table = NULL;
	if (loading->plain) { /* without a debug file that can be read */
		if (rc == -EFBIG || rc == -EDQUOT)
			symbols_warn("%s: its debug file is too large to be read",
				     code->shown.path);
		if (rc)
			table = loading->plain;
		else
			table_free(loading->plain);
		loading->plain = NULL;
		rc = 0;
	} else if (!rc && what == READ_ELF && !table->about.has_symtab && table->about.build_id.n) {
		loading->plain = table;
		return load_table(code, use, ret);
	}
	if (!rc)
		*ret = table;
	return rc;
}

/* ---- lines ---- */

/* Take the name of a shared file that a worker has missed from its text. @return whether lines are tried with it */
static bool take_shared(struct loading *loading, char *text)
{
	bool is_first = !loading->shared;
	char *end = strchr(text, '\n'), shown[PATH_MAX];

	if (*text != LINES_SHARED || !end)
		return false;
	*end = '\0';
	if (is_first)
		loading->shared = strdup(text + 1);
	else
		symbols_warn("%s: inlined calls are not shown: there is no %s",
			     loading->code->shown.path, utf8_copy(text + 1, shown, sizeof(shown)));
	memmove(text, end + 1, strlen(end + 1) + 1);
	return is_first && loading->shared;
}

int load_lines(struct code *code, const struct code_use *use, const struct function *function,
	       enum code_division division, struct code_lines **ret)
{
	bool is_source = division == CODE_SOURCE;
	struct loading *loading = loading_of(code);
	char *text = NULL;
	size_t n;
	int rc = -EINPROGRESS;

	if (!loading)
		return -ENOMEM;
	if (!loading->lines) {
		loading->of = function;
		loading->division = division;
	}
	if (loading->of == function &&
	    loading->division == division) /* else it is another one's turn */
		rc = state_of(&loading->lines, is_source ? READ_LINES : READ_INSTRUCTIONS, code,
			      use, function, is_source ? code->table : NULL);
	if (rc == -EINPROGRESS)
		return rc;
	if (!rc)
		rc = query_text(loading->lines, &text, &n);
	query_free(loading->lines);
	loading->lines = NULL;
	if (!rc && take_shared(loading, text)) {
		free(text);
		return load_lines(code, use, function, division, ret);
	}
	if (!rc)
		rc = lines_parse(text, ret);
	if (rc)
		free(text);
	return rc;
}

/* ---- mappings ---- */

/* Mappings of a process that are being read. */
struct maps {
	struct maps *next;
	uint32_t pid;
	uint64_t instance;
	struct query *query;
};

static struct maps *maps_list;

static struct maps *maps_of(uint32_t pid, uint64_t instance)
{
	static const struct code unknown = { .key = { .path = "" } };
	struct maps *maps = maps_list;

	while (maps && (maps->pid != pid || maps->instance != instance))
		maps = maps->next;
	if (!maps && (maps = calloc(1, sizeof(*maps)))) {
		*maps = (struct maps){ maps_list, pid, instance,
				       begin(READ_MAPS, &unknown, &(struct code_use){ .pid = pid },
					     NULL, NULL) };
		maps_list = maps;
	}
	return maps;
}

static void maps_free(struct maps *maps)
{
	struct maps **at = &maps_list;

	while (*at != maps)
		at = &(*at)->next;
	*at = maps->next;
	query_free(maps->query);
	free(maps);
}

static void take_maps(uint32_t pid, const char *text, size_t n, load_take *take, void *data)
{
	struct code_map map;

	for (size_t at = 0; n - at > sizeof(map); at += strlen(text + at) + 1) {
		memcpy(&map, text + at, sizeof(map));
		at += sizeof(map);
		/* the worker's word counts for numbers of the mapping alone */
		map.pid = pid;
		map.t_ns = 0;
		map.path = text + at;
		map.symbol = NULL;
		take(data, &map);
	}
}

int load_maps(uint32_t pid, uint64_t instance, load_take *take, void *data)
{
	struct maps *maps = maps_of(pid, instance);
	AUTO_FREE char *text = NULL;
	size_t n;
	int rc;

	if (!maps)
		return -ENOMEM;
	rc = maps->query ? query_state(maps->query) : -ENOMEM;
	if (rc == -EINPROGRESS)
		return rc;
	if (!rc)
		rc = query_text(maps->query, &text, &n);
	maps_free(maps);
	if (!rc)
		take_maps(pid, text, n, take, data);
	return rc;
}

void load_stop(void)
{
	while (loadings)
		load_forget(loadings->code);
	while (maps_list)
		maps_free(maps_list);
}

/* ---- the kernel ---- */

bool symbols_kernel_is_hidden(char *buf, size_t size)
{
	AUTO_FILE FILE *file = fopen("/proc/kallsyms", "re");
	int why = file ? 0 : errno;
	AUTO_FREE char *level = NULL;
	char line[512];
	size_t n;

	while (file && fgets(line, sizeof(line), file))
		if (line[0] != '0') /* addresses of code are in the upper half */
			return false;
	if (why && why != ENOENT)
		snprintf(buf, size, "/proc/kallsyms: %s", strerror(why));
	else if (why || file_read("/proc/sys/kernel/kptr_restrict", 64, &level, &n))
		snprintf(buf, size, "this kernel has no /proc/kallsyms");
	else
		snprintf(buf, size, "kptr_restrict is %.*s%s", (int)strcspn(level, "\n"), level,
			 level[0] == '2' ? "; as root: sysctl kernel.kptr_restrict=1"
					 : " and cap_syslog is missing: use sudo");
	return true;
}
