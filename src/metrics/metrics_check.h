/* metrics_check.h: mistakes in the metrics of a catalogue, and in what presets say of them */
#ifndef METRICS_METRICS_CHECK_H
#define METRICS_METRICS_CHECK_H

#include "pmu/catalog.h"

/**
 * What is wrong with a CPU's metrics: one that does not compile, a threshold that does not, a
 * preset with a metric that is unknown or uses an event that the preset does not count.
 * For catalog_check.
 */
catalog_judge_fn metrics_check;

#endif
