#include "discover/run/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *skip_blanks(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

/* Plain decimal digits: the file is read around every run. @return false when there are none */
static bool take_number(const char **at, uint64_t *ret)
{
	const char *digit = skip_blanks(*at);
	uint64_t value = 0;

	if (*digit < '0' || *digit > '9')
		return false;
	for (; *digit >= '0' && *digit <= '9'; digit++)
		value = value * 10 + (uint64_t)(*digit - '0');
	*at = digit;
	*ret = value;
	return true;
}

/* "           CPU0       CPU1": offline ones have no column. @return -1 without one for the CPU */
static int find_column(const char *text, unsigned cpu, unsigned *ret_n)
{
	int column = -1;
	unsigned n = 0;
	uint64_t number;

	for (text = skip_blanks(text); strncmp(text, "CPU", 3) == 0; text = skip_blanks(text)) {
		text += 3;
		if (!take_number(&text, &number))
			break;
		if (number == cpu)
			column = (int)n;
		n++;
	}
	*ret_n = n;
	return column;
}

static uint64_t of_line(const char *at, unsigned column, unsigned n)
{
	uint64_t value, found = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!take_number(&at, &value))
			return 0;
		if (i == column)
			found = value;
	}
	return found;
}

int interrupts_sum(const char *text, unsigned cpu, uint64_t *ret)
{
	unsigned n;
	int column = find_column(text, cpu, &n);
	uint64_t sum = 0;

	if (column < 0)
		return -ENODEV;
	while ((text = strchr(text, '\n')) && *++text) {
		text += strcspn(text, ":\n");
		if (*text == ':')
			sum += of_line(text + 1, (unsigned)column, n);
	}
	*ret = sum;
	return 0;
}

/* @return bytes; -errno; the size of the buffer when they may be more */
static ssize_t read_all(const struct interrupts *interrupts)
{
	size_t n = 0;

	while (n < interrupts->size) {
		ssize_t got =
			pread(interrupts->fd, interrupts->text + n, interrupts->size - n, (off_t)n);

		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

int interrupts_read(struct interrupts *interrupts, uint64_t *ret)
{
	ssize_t n = read_all(interrupts);

	if (n < 0)
		return (int)n;
	if ((size_t)n >= interrupts->size)
		return -EFBIG;
	interrupts->text[n] = '\0';
	return interrupts_sum(interrupts->text, interrupts->cpu, ret);
}

/* Numbers get longer and devices come: twice of what is there now. */
static int make_room(struct interrupts *interrupts)
{
	interrupts->size = 4096;
	for (;;) {
		ssize_t n;

		free(interrupts->text);
		interrupts->text = malloc(interrupts->size);
		if (!interrupts->text)
			return -ENOMEM;
		n = read_all(interrupts);
		if (n < 0)
			return (int)n;
		if ((size_t)n <= interrupts->size / 2)
			return 0;
		interrupts->size *= 2;
	}
}

int interrupts_open(unsigned cpu, struct interrupts *ret, struct err *err)
{
	struct interrupts made = { .fd = open("/proc/interrupts", O_RDONLY | O_CLOEXEC),
				   .cpu = cpu };
	uint64_t unused;
	int rc = made.fd < 0 ? -errno : make_room(&made);

	if (!rc)
		rc = interrupts_read(&made, &unused);
	if (rc) {
		interrupts_close(&made);
		return err_set(err, -rc, "/proc/interrupts of CPU %u: %s", cpu, strerror(-rc));
	}
	*ret = made;
	return 0;
}

void interrupts_close(struct interrupts *interrupts)
{
	if (!interrupts || interrupts->fd < 0)
		return;
	close(interrupts->fd);
	free(interrupts->text);
	*interrupts = (struct interrupts){ .fd = -1 };
}
