/* counter overflow reaches the driver as an interrupt: a sampling event gives its samples */
#include <sys/mman.h>

#include "perf.h"
#include "tap.h"

enum { N_PAGES = 16, CPU = 5 };
static const uint64_t period = 20000000;

static int count_samples(const struct perf_event_mmap_page *page, size_t page_bytes)
{
	const char *data = (const char *)page + page_bytes;
	uint64_t n_bytes = N_PAGES * page_bytes;
	int n_samples = 0;

	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *record = (const void *)(data + at % n_bytes);

		if (!record->size)
			break;
		n_samples += record->type == PERF_RECORD_SAMPLE;
		at += record->size;
	}
	return n_samples;
}

int main(void)
{
	struct perf_event_attr attr = event_attr(pmu_type("apple_firestorm_pmu"), 0x02);
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	double since, wanted;
	uint64_t count = 0;
	int fd, n_samples;
	void *page;

	attr.read_format = 0;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	pin_to(CPU);
	fd = event_open(&attr, CPU, -1);
	page = mmap(NULL, (N_PAGES + 1) * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED) {
		ok(false, "a sampling event opens");
		return finish();
	}
	for (since = now_s(); now_s() < since + 0.5;)
		;
	read(fd, &count, sizeof count);
	n_samples = count_samples(page, page_bytes);
	wanted = (double)count / (double)period;
	/* interrupts come late in an emulation on a busy host */
	ok(n_samples > 0.5 * wanted && n_samples < 1.5 * wanted, "%d samples for %.1f periods",
	   n_samples, wanted);
	return finish();
}
