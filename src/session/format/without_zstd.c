/* Built in place of zstd.c by make WITHOUT=zstd: every compressor_new and decompressor_new fails. */
#include <assert.h>
#include <errno.h>

#include "session/format/compress.h"

const char compressor_suffix[] = "";

int compressor_new(const char *path, struct compressor **ret, struct err *err)
{
	(void)ret;
	return err_set(err, EINVAL,
		       "%s: m1top was built without zstd: choose a name that does not end in .zst",
		       path);
}

void compressor_free(struct compressor *compressor)
{
	assert(!compressor);
}

int compressor_add_block(struct compressor *compressor, const char *bytes, size_t n,
			 struct text *ret)
{
	(void)bytes, (void)n, (void)ret;
	assert(!compressor);
	return -EINVAL;
}

int decompressor_new(const char *path, struct decompressor **ret, struct err *err)
{
	(void)ret;
	return err_set(err, EINVAL,
		       "%s: compressed, and m1top was built without zstd: unpack it with zstd -d",
		       path);
}

void decompressor_free(struct decompressor *decompressor)
{
	assert(!decompressor);
}

void decompressor_restart(struct decompressor *decompressor)
{
	assert(!decompressor);
}

int decompressor_run(struct decompressor *decompressor, struct compressed *from,
		     struct decompressed *to, const char **ret_why)
{
	(void)from, (void)to, (void)ret_why;
	assert(!decompressor);
	return -EINVAL;
}
