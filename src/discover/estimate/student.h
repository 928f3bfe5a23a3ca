/* student.h: Student's t, held against the normal distribution */
#ifndef DISCOVER_ESTIMATE_STUDENT_H
#define DISCOVER_ESTIMATE_STUDENT_H

/* D. L. Wallace's normal deviate: good to three digits far into the tail. */

/** The chance that a t, of either sign, is this far from 0. @freedom  degrees of, above 0; whole or not */
double student_chance(double t, double freedom);

/** The t that is exceeded as rarely as the normal deviate z. */
double student_t(double z, double freedom);

#endif
