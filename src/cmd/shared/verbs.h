/* verbs.h: what each verb runs; only verbs.c and the verbs' own files include it */
#ifndef CMD_VERBS_H
#define CMD_VERBS_H

#include "cmd/options.h"

/** The live screen. @return exit status */
int live_run(const struct options *options);

/** m1top stat. @return exit status, or that of the command */
int stat_run(const struct options *options);

/** m1top replay. @return exit status */
int replay_run(const struct options *options);

/** m1top report. @return exit status */
int report_run(const struct options *options);

/** m1top serve. @return exit status */
int serve_run(const struct options *options);

/** m1top discover. @return exit status */
int discover_run(const struct options *options);

/** m1top list. @return exit status */
int list_run(const struct options *options);

/** m1top doctor. @return exit status */
int doctor_run(const struct options *options);

#endif
