/* doctor.h: what the files of `m1top doctor` share */
#ifndef CMD_DOCTOR_DOCTOR_H
#define CMD_DOCTOR_DOCTOR_H

#include "cmd/options/options.h"
#include "machine/machine.h"

/** m1top doctor. @return exit status */
int doctor_run(const struct options *options);

/** One line behind a mark: "ok", "-" there is no such thing, "!" something to fix. */
void doctor_say(const char *mark, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define OK(...)      doctor_say("ok", __VA_ARGS__)
#define NONE(...)    doctor_say("-", __VA_ARGS__)
#define PROBLEM(...) doctor_say("!", __VA_ARGS__)

/** Are these Apple's cores? Elsewhere doctor_apple says nothing. */
bool doctor_is_apple(const struct machine *machine);

/**
 * Both ways to an Apple PMU: the kernel's own driver and the module m1pmu, what state they are in,
 * and what to do for the one or the other.
 */
void doctor_apple(const struct machine *machine);

/** m1top doctor --selfcheck: known work measured, and what measuring costs. @return exit status */
int doctor_selfcheck(const struct options *options);

/** What this user may count, and what an m1top that counts may do. Gives up what doctor does not need
 * any more. @return may it see which files the processes of others have open? */
bool doctor_rights(void);

#endif
