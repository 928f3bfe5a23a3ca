#include "base/cleanup.h"
#include "pmu/activity/chips.h"

void chips_find(struct machine *machine UNUSED)
{
}
