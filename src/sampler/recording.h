/* recording.h: a recorded session in the place of counters; private to sampler/ */
#ifndef SAMPLER_RECORDING_H
#define SAMPLER_RECORDING_H

#include "sampler/internal.h"

/** What every change of set or interval is answered with. @return -EOPNOTSUPP */
int recording_refuse(struct err *err);

/** Publish the first frame: it brings the set. @return 0 or -errno */
int recording_start(struct sampler *sampler, struct err *err);

/** Publish the next frame. @return as sampler_step */
int recording_step(struct sampler *sampler);

#endif
