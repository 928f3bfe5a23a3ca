/* Taking -e apart: what stood between two commas becomes a struct event_spec. */
#include "event/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

/* A piece of the user's text, and where in it. */
struct item {
	const char *start;
	size_t n;
	unsigned number; /* 1-based, for messages */
};

static int bad_item(const struct item *item, struct err *err, const char *why)
{
	bool cut = item->n > EVENT_NAME_MAX;

	return err_set(err, EINVAL, "event %u, \"%.*s%s\": %s", item->number,
		       cut ? EVENT_NAME_MAX : (int)item->n, item->start, cut ? "…" : "", why);
}

static void trim(struct item *item)
{
	while (item->n && isspace((unsigned char)item->start[0])) {
		item->start++;
		item->n--;
	}
	while (item->n && isspace((unsigned char)item->start[item->n - 1]))
		item->n--;
}

/* Up to the next comma that is not between slashes. @return false at the end */
static bool next_item(const char **rest, struct item *item)
{
	const char *end = *rest;
	bool in_terms = false;

	if (!end)
		return false;
	for (; *end && (in_terms || *end != ','); end++)
		in_terms ^= *end == '/';
	item->start = *rest;
	item->n = (size_t)(end - *rest);
	item->number++;
	*rest = *end ? end + 1 : NULL;
	trim(item);
	return true;
}

static int copy(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return -ENAMETOOLONG;
	memcpy(to, from, n);
	to[n] = '\0';
	return 0;
}

/* "PMC5=NAME": sets the slot and takes it off the front of `body`. */
static int take_slot(const struct item *item, struct item *body, struct event_spec *spec,
		     struct err *err)
{
	size_t digits = 0;
	unsigned slot = 0;

	spec->slot = -1;
	if (body->n < 3 || strncasecmp(body->start, "PMC", 3) != 0)
		return 0;
	while (3 + digits < body->n && digits < 4 &&
	       isdigit((unsigned char)body->start[3 + digits]))
		slot = slot * 10 + (unsigned)(body->start[3 + digits++] - '0');
	if (!digits || 3 + digits >= body->n || body->start[3 + digits] != '=')
		return 0;
	if (slot >= CORE_SLOTS_MAX)
		return bad_item(item, err, "columns are PMC0 to PMC15");
	spec->slot = (int)slot;
	body->start += 3 + digits + 1;
	body->n -= 3 + digits + 1;
	trim(body);
	return 0;
}

/* "u", "k" or both, behind a colon or a slash. */
static int read_privilege(const struct item *item, const char *mods, size_t n,
			  struct event_spec *spec, struct err *err)
{
	bool user = false, kernel = false;

	for (size_t i = 0; i < n; i++) {
		if (mods[i] != 'u' && mods[i] != 'k')
			return bad_item(item, err, "the only modifiers are :u and :k");
		user |= mods[i] == 'u';
		kernel |= mods[i] == 'k';
	}
	if (!n)
		return bad_item(item, err, "nothing follows the colon (only :u and :k are known)");
	if (user != kernel)
		spec->privilege = user ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
	return 0;
}

/* pmu/terms/ with modifiers behind. */
static int read_terms(const struct item *item, const struct item *body, const char *slash,
		      struct event_spec *spec, struct err *err)
{
	const char *end = body->start + body->n;
	const char *last = memrchr(body->start, '/', body->n);
	const char *mods = last + 1;

	if (last == slash)
		return bad_item(item, err, "the second slash is missing (PMU/terms/)");
	if (slash == body->start || last == slash + 1)
		return bad_item(item, err, "PMU/terms/ needs a PMU and terms");
	/* the name that is shown is the whole of it */
	if (body->n + sizeof(":u") > EVENT_NAME_MAX)
		return bad_item(item, err, "too long");
	if (copy(spec->pmu, sizeof(spec->pmu), body->start, (size_t)(slash - body->start)) < 0 ||
	    copy(spec->text, sizeof(spec->text), slash + 1, (size_t)(last - slash - 1)) < 0)
		return bad_item(item, err, "too long");
	spec->is_terms = true;
	if (mods == end)
		return 0;
	mods += *mods == ':';
	return read_privilege(item, mods, (size_t)(end - mods), spec, err);
}

static int read_name(const struct item *item, const struct item *body, struct event_spec *spec,
		     struct err *err)
{
	const char *colon = memrchr(body->start, ':', body->n);
	size_t n = colon ? (size_t)(colon - body->start) : body->n;

	if (!n)
		return bad_item(item, err, "an event is missing here");
	if (copy(spec->text, sizeof(spec->text), body->start, n) < 0)
		return bad_item(item, err, "too long");
	return colon ? read_privilege(item, colon + 1, body->n - n - 1, spec, err) : 0;
}

static int read_item(const struct item *item, struct event_spec *spec, struct err *err)
{
	struct item body = *item;
	int result = take_slot(item, &body, spec, err);

	if (result < 0)
		return result;

	spec->is_forced = body.n && body.start[body.n - 1] == '!';
	body.n -= spec->is_forced;

	const char *slash = memchr(body.start, '/', body.n);

	if (slash)
		return read_terms(item, &body, slash, spec, err);
	return read_name(item, &body, spec, err);
}

int event_specs_parse(const char *text, struct event_spec **ret, size_t *ret_n, struct err *err)
{
	AUTO_FREE void *specs = NULL;
	struct item item = { 0 };
	size_t n = 0, cap = 0;

	while (next_item(&text, &item)) {
		struct event_spec spec = { 0 };
		int result = read_item(&item, &spec, err);

		if (result < 0)
			return result;
		if (array_append(&specs, &cap, &n, &spec, sizeof(spec)))
			return err_set(err, ENOMEM, "out of memory");
	}
	*ret = specs;
	*ret_n = n;
	specs = NULL;
	return 0;
}

int event_spec_parse(const char *text, struct event_spec *ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;
	int rc = event_specs_parse(text, &spec, &n, err);

	if (!rc && n != 1)
		rc = err_set(err, EINVAL, "one event at a time, not \"%s\"", text);
	if (!rc)
		*ret = *spec;
	return rc;
}

struct event_spec event_spec_of_name(const char *name)
{
	struct event_spec spec = { .slot = -1 };

	snprintf(spec.text, sizeof(spec.text), "%s", name);
	return spec;
}
