/* option_stat.h: setters of the options that stat takes over from perf stat, for the option table */
#ifndef CMD_OPTION_STAT_H
#define CMD_OPTION_STAT_H

#include "cmd/options.h"

/* Each is the `set` of a struct option_row. */

/** -A, --no-aggr */
int option_store_no_aggr(struct options *options, const char *value, struct err *err);
/** --per-core */
int option_store_per_core(struct options *options, const char *value, struct err *err);
/** --per-cluster */
int option_store_per_cluster(struct options *options, const char *value, struct err *err);
/** -a, --all-cpus */
int option_store_nothing(struct options *options, const char *value, struct err *err);
/** --timeout MS: 10 or more */
int option_store_timeout(struct options *options, const char *value, struct err *err);
/** -D MS, or -1 */
int option_store_delay(struct options *options, const char *value, struct err *err);
/** --control fifo:PATH[,PATH] or fd:N[,N] */
int option_store_control(struct options *options, const char *value, struct err *err);
/** --summary */
int option_store_summary(struct options *options, const char *value, struct err *err);
/** --no-csv-summary */
int option_store_plain_summary(struct options *options, const char *value, struct err *err);
/** --metric-only */
int option_store_metric_only(struct options *options, const char *value, struct err *err);
/** --log-fd N: 1 or more */
int option_store_log_fd(struct options *options, const char *value, struct err *err);

#endif
