/* option_stat.h: setters of the options that stat takes over from perf stat, for the option table */
#ifndef CMD_OPTION_STAT_H
#define CMD_OPTION_STAT_H

#include "cmd/options.h"

/* Each stores one option's value: `set` of struct option_row. */
int option_store_no_aggr(struct options *options, const char *value, struct err *err);
int option_store_per_core(struct options *options, const char *value, struct err *err);
int option_store_per_cluster(struct options *options, const char *value, struct err *err);
int option_store_nothing(struct options *options, const char *value, struct err *err);
int option_store_timeout(struct options *options, const char *value, struct err *err);
int option_store_delay(struct options *options, const char *value, struct err *err);
int option_store_control(struct options *options, const char *value, struct err *err);
int option_store_summary(struct options *options, const char *value, struct err *err);
int option_store_plain_summary(struct options *options, const char *value, struct err *err);
int option_store_metric_only(struct options *options, const char *value, struct err *err);
int option_store_log_fd(struct options *options, const char *value, struct err *err);

#endif
