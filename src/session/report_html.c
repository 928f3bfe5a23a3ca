#include "session/report.h"
int report_html(const struct report *report, struct text *out, struct err *err)
{
	(void)report, (void)out;
	return err_set(err, 38, "not yet");
}
