/* sweep_rig.c: whole sweeps on simulated machines, and how right they are */
#include "rig/sweep_rig.h"

struct backend *sweep_sim(const char *options)
{
	struct backend_config config = { .name = "sim", .options = options };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (backend_open(&config, &backend, &err))
		fail_msg("%s", err.text);
	return backend;
}

struct sweep *sweep_make(const struct sweep_request *request)
{
	struct sweep *sweep = NULL;
	struct err err = { "" };

	if (sweep_new(request, &sweep, &err))
		fail_msg("%s", err.text);
	return sweep;
}

struct findings sweep_whole(const struct sweep_request *request)
{
	struct sweep *sweep = sweep_make(request);
	struct findings findings;
	struct err err = { "" };

	if (sweep_start(sweep, &err) || sweep_result(sweep, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(sweep, &findings, NULL), 0);
	sweep_free(sweep);
	return findings;
}

const struct finding *sweep_finding(const struct findings *findings, unsigned type,
				    const char *kernel, uint64_t id)
{
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->type == type && finding->id == id &&
		    strcmp(findings->kernel[finding->kernel], kernel) == 0)
			return finding;
	}
	return NULL;
}
