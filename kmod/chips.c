// SPDX-License-Identifier: GPL-2.0
/* chips.c: differences between chips, by MIDR_EL1; a new chip is a new row */
#include <linux/bsearch.h>
#include <linux/kernel.h>

#include "m1pmu.h"
#include "masks.h"

#define IMPLEMENTER_APPLE 0x61

static const struct m1pmu_chip chips[] = {
	/* parts      width, event bits */
	{ 0x20, 0x29, 48, 8, "M1", masks_m1, ARRAY_SIZE(masks_m1) },
	{ 0x30, 0x39, 64, 8, "M2", masks_m2, ARRAY_SIZE(masks_m2) },
	{ 0x42, 0x49, 64, 16, "M3", masks_m3, ARRAY_SIZE(masks_m3) },
	{ 0x52, 0x59, 64, 16, "M4", masks_m4, ARRAY_SIZE(masks_m4) },
	{ 0x60, 0x61, 64, 16, "A18", NULL, 0 },
	{ 0x62, 0x69, 64, 16, "M5", NULL, 0 },
};

const struct m1pmu_chip *m1pmu_chip_of(u64 midr)
{
	unsigned int part = midr >> 4 & 0xfff;
	unsigned int i;

	if ((midr >> 24 & 0xff) != IMPLEMENTER_APPLE)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (part >= chips[i].first_part && part <= chips[i].last_part)
			return &chips[i];
	return NULL;
}

static int compare(const void *key, const void *row)
{
	return *(const u16 *)key - ((const struct m1pmu_mask *)row)->event;
}

u16 m1pmu_counters_of(const struct m1pmu_chip *chip, u16 event)
{
	const struct m1pmu_mask *row;

	if (!chip->masks)
		return 0;
	row = bsearch(&event, chip->masks, chip->n_masks, sizeof(*row), compare);
	return row ? row->counters : 0;
}
