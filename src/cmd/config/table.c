/* Every key of the configuration: one row here. */
#include "cmd/config.h"
#include "tui/settings_rows.h"

#define AT(field) offsetof(struct settings, field)

const struct config_row config_table[] = {
	{ "interval", CONFIG_NUMBER, AT(interval_s), "0.5", "seconds between reads, as -d",
	  "interval interval-ms", NULL },
	{ "by", CONFIG_TEXT, AT(by), "\"cluster\"",
	  "a row for each core, cluster, type of core, or for the whole system", "by", NULL },
	{ "preset", CONFIG_TEXT, AT(preset), "\"branch\"", "what is counted, as -P",
	  "preset event metrics", NULL },
	{ "events", CONFIG_LIST, AT(events), "[\"cycles\", \"PMC5=INST_BRANCH\"]",
	  "what is counted, as -e", "event preset metrics", NULL },
	{ "metrics", CONFIG_LIST, AT(metrics), "[\"IPC\", \"branch_mpki\"]",
	  "what is counted and shown, as -M", "metrics event preset", NULL },
	{ "view", CONFIG_TEXT, AT(view), "\"metrics\"", "the view that is shown first", NULL,
	  settings_check_view },
	{ "figures", CONFIG_TEXT, AT(figures), "\"rate\"",
	  "figures are a rate, a count, or per-1000-instructions", NULL, settings_check_figures },
	{ "theme", CONFIG_TEXT, AT(theme), "\"colour-blind\"", "as --theme", "theme no-color",
	  NULL },
	{ "ascii", CONFIG_FLAG, AT(ascii), "true", "no characters beyond ASCII, as --ascii",
	  "ascii", NULL },
	{ "mouse", CONFIG_FLAG, AT(mouse), "false", "false is --no-mouse", "no-mouse", NULL },
	{ "budget", CONFIG_NUMBER, AT(budget_pct), "5",
	  "percent of a core that m1top may use, as --budget", "budget", NULL },
	{ "history", CONFIG_TEXT, AT(history), "\"64M\"", "memory for the past, as --history",
	  "history", NULL },
	{ "columns", CONFIG_LIST, AT(columns), "[\"ipc\", \"-bar\", \"5\", \"branch_mpki\"]",
	  "columns of the Cores view in their order: ipc, bar, history, counters by number, "
	  "metrics by name; with - before it one that is not shown",
	  NULL, NULL },
	{ "sort", CONFIG_TEXT, AT(sort), "\"branch_mpki ascending\"",
	  "the column that rows are sorted by, the largest first or ascending", NULL, NULL },
	{ "filter", CONFIG_TEXT, AT(filter), "\"cluster 1\"",
	  "the cores that are shown: 0-3,8 or words of their names", NULL, NULL },
	{ "folded", CONFIG_TEXT, AT(folded), "\"0,3-5\"",
	  "clusters whose cores are not shown: their numbers, all or none", NULL,
	  settings_check_folded },
	{ "rotate", CONFIG_LIST, AT(rotate), "[\"overview\", \"branch\"]",
	  "presets that are ticked, which R rotates through", NULL, NULL },
	{ "rotate-every", CONFIG_NUMBER, AT(rotate_s), "5",
	  "seconds that each of them stays, three intervals at least", NULL, settings_check_stay },
	{ "metric-order", CONFIG_TEXT, AT(metric_order), "\"threshold\"",
	  "rows of the Metrics view as they were chosen, by name, or by threshold: those beyond it "
	  "first",
	  NULL, settings_check_order },
	{ "recent", CONFIG_LIST, AT(recent), "[\"INST_BRANCH\"]",
	  "events chosen last, which lists begin with", NULL, NULL },
	{ 0 },
};
