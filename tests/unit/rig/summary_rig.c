/* summary_rig.c: sessions in a file, and their summaries */
#include "rig/summary_rig.h"

void told_make(struct told *told, const struct text *text, const char *metrics)
{
	struct err err = { "" };
	int fd;

	assert_false(text->failed);
	*told = (struct told){ .path = "/tmp/test_summary.XXXXXX" };
	fd = mkstemp(told->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text->bytes, text->n), text->n);
	close(fd);
	must(reader_open(told->path, 0, NULL, &told->reader, &err), &err);
	if (metrics)
		must(metrics_select(reader_metrics(told->reader), metrics, &told->wanted, &err),
		     &err);
	must(summary_make(told->reader, told->path, 0, metrics ? &told->wanted : NULL, NULL, NULL,
			  &told->summary, &err),
	     &err);
}

void told_end(struct told *told)
{
	summary_fini(&told->summary);
	metrics_selection_fini(&told->wanted);
	reader_close(told->reader);
	unlink(told->path);
}

void assert_same(double is, double wanted)
{
	if (fabs(is - wanted) > 1e-9 * fabs(wanted))
		fail_msg("%.17g, not %.17g", is, wanted);
}

void tell_head(struct text *text, const char *model)
{
	text_printf(text,
		    "# m1top session 1\n"
		    "# host h kernel k backend sim interval_ms 100 started "
		    "2020-11-17T12:00:00.000+00:00\n"
		    "# machine \"%s\" cpuid=x simulated=1\n"
		    "# type cpu pmu=cpu counters=2 width=64 slot_is_counter=0 first_fit=0\n"
		    "# cpu 0 type=cpu cluster=0 midr=0x0\n"
		    "# cpu 1 type=cpu cluster=0 midr=0x0\n"
		    "# set 1 type=cpu slot=0 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		    "# set 1 type=cpu slot=1 pmu=cpu event=B config=0x2 width=64 unit= scale=1\n"
		    "tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality\n",
		    model);
}

void tell_row(struct text *text, unsigned tick, unsigned cpu, unsigned slot, const char *count,
	      double running, const char *quality)
{
	text_printf(text, "%u,%u.%u,%u,cpu,cpu,%u,,%s,%s,100000000,%.0f,%s\n", tick, tick / 10,
		    tick % 10, cpu, slot, slot ? "B" : "A", count ? count : "", running * 1e8,
		    quality);
}
