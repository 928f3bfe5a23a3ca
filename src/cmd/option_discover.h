/* option_discover.h: setters of the options that discover alone has, for the option table */
#ifndef CMD_OPTION_DISCOVER_H
#define CMD_OPTION_DISCOVER_H

#include "cmd/options.h"

/* Each is the `set` of a struct option_row. */

/** --ids 0x00-0x7f,0x95 */
int option_store_ids(struct options *options, const char *value, struct err *err);
/** --kernels load,store */
int option_store_kernels(struct options *options, const char *value, struct err *err);
/** --trigger CMD */
int option_store_trigger_command(struct options *options, const char *value, struct err *err);
/** --control CMD */
int option_store_control_command(struct options *options, const char *value, struct err *err);
/** --asm FILE */
int option_store_assembly(struct options *options, const char *value, struct err *err);
/** --name NAME */
int option_store_kernel_name(struct options *options, const char *value, struct err *err);
/** --list-kernels */
int option_store_list_kernels(struct options *options, const char *value, struct err *err);
/** --quick */
int option_store_quick(struct options *options, const char *value, struct err *err);
/** --plain */
int option_store_plain(struct options *options, const char *value, struct err *err);
/** --masks */
int option_store_masks(struct options *options, const char *value, struct err *err);
/** --repeats N: REPEATS_MIN to REPEATS_MAX */
int option_store_repeats(struct options *options, const char *value, struct err *err);
/** --seed N: 1 or more */
int option_store_seed(struct options *options, const char *value, struct err *err);
/** --resume FILE */
int option_store_resume(struct options *options, const char *value, struct err *err);
/** --emit-events FILE */
int option_store_emit_events(struct options *options, const char *value, struct err *err);

/** What does not go together. @return 0 or -EINVAL */
int option_check_discover(const struct options *options, struct err *err);

#endif
