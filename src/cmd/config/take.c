/* What the command line said, as the configuration keeps it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/config/config.h"
#include "tui/term/theme.h"

static int split(const char *text, char open, char close, struct setting_list *ret)
{
	int rc = 0;

	while (text && *text && !rc) {
		size_t n = text_item_length(text, open, close);
		AUTO_FREE char *item = strndup(text, n);

		rc = item ? setting_list_add(ret, item) : -ENOMEM;
		text += n;
		text += *text == ',';
	}
	return rc;
}

int config_take_counted(struct config *config, const struct options *options)
{
	struct settings *settings = &config->settings;

	if (!options_given(options, "event preset metrics"))
		return 0;
	snprintf(settings->preset, sizeof(settings->preset), "%s",
		 options->preset ? options->preset : "");
	setting_list_clear(&settings->events);
	setting_list_clear(&settings->metrics);

	int rc = split(options->events, '/', '/', &settings->events);

	return rc ? rc : split(options->metrics, '(', ')', &settings->metrics);
}

/* "64M" where it is so many. */
static void take_size(size_t bytes, char *ret)
{
	static const char *const unit[] = { "", "k", "M", "G" };
	size_t i = 0;

	for (; i < 3 && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(ret, SETTING_TEXT_MAX, "%zu%s", bytes, unit[i]);
}

void config_take(struct config *config, const struct options *options)
{
	struct settings *settings = &config->settings;
	bool no_color = options_given(options, "no-color") && !options->color;

	settings->budget_pct = options->budget_pct;
	snprintf(settings->theme, sizeof(settings->theme), "%s",
		 (no_color ? theme_monochrome() : options->theme)->name);
	if (options_given(options, "history"))
		take_size(options->history_bytes, settings->history);
	/* not where it is only that the locale knows no more */
	if (options_given(options, "ascii"))
		settings->ascii = SETTING_YES;
	if (options_given(options, "no-mouse"))
		settings->mouse = SETTING_NO;
}
