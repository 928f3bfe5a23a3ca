/* library.c: loads libmicrohttpd and GnuTLS for serve alone: with them, every start would take a fifth longer */
#include "session/http/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "session/http.h"

struct library library;

/* A function of a library. */
struct library_function {
	const char *name;
	void *to; /* pointer in `library` */
};

#define LIBRARY_ROW(name) { #name, &library.name },

static const struct library_function microhttpd[] = { LIBRARY_MICROHTTPD(LIBRARY_ROW) };
static const struct library_function gnutls[] = { LIBRARY_GNUTLS(LIBRARY_ROW) };

static int load(const char *file, const char *package, const struct library_function *function,
		size_t n, struct err *err)
{
	void *handle = dlopen(file, RTLD_NOW);

	for (size_t i = 0; handle && i < n; i++) {
		void *address = dlsym(handle, function[i].name);

		memcpy(function[i].to, &address, sizeof(address));
		if (!address)
			handle = NULL;
	}
	return handle ? 0
		      : err_set(err, ENOTSUP, "serve needs a library: %s: apt install %s",
				dlerror(), package);
}

int http_load(struct err *err)
{
	int rc = load("libmicrohttpd.so.12", "libmicrohttpd12", microhttpd, ARRAY_SIZE(microhttpd),
		      err);

	return rc ? rc : load("libgnutls.so.30", "libgnutls30", gnutls, ARRAY_SIZE(gnutls), err);
}
