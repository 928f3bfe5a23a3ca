/* test_library.c: the message when a library that serve loads is missing; make links dlopen to this file's */
#include "rig/harness.h"

#include <dlfcn.h>

#include "session/http.h"

void *__real_dlopen(const char *file, int flags);
void *__wrap_dlopen(const char *file, int flags);

void *__wrap_dlopen(const char *file, int flags)
{
	return __real_dlopen(strstr(file, "gnutls") ? "libnowhere.so.1" : file, flags);
}

static void missing(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(http_load(&err), -ENOTSUP);
	assert_string_equal(err.text,
			    "serve needs a library: libnowhere.so.1: cannot open shared object "
			    "file: No such file or directory: apt install libgnutls30");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
