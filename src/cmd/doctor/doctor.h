/* doctor.h: declarations shared by the files of `m1top doctor` */
#ifndef CMD_DOCTOR_DOCTOR_H
#define CMD_DOCTOR_DOCTOR_H

#include "cmd/options.h"
#include "pmu/machine.h"

/** Run m1top doctor. @return exit status */
int doctor_run(const struct options *options);

/** Print one line after a mark: "ok"; "-": absent; "!": problem to fix. */
void doctor_say(const char *mark, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define OK(...)      doctor_say("ok", __VA_ARGS__)
#define NONE(...)    doctor_say("-", __VA_ARGS__)
#define PROBLEM(...) doctor_say("!", __VA_ARGS__)

/** Run m1top doctor --selfcheck: measure known work, and the cost of measuring. @return exit status */
int doctor_selfcheck(const struct options *options);

#endif
