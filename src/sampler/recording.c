#include "sampler/recording.h"

#include <errno.h>

int recording_refuse(struct err *err)
{
	return err_set(err, EOPNOTSUPP,
		       "this is a recorded session: its events and interval cannot be changed");
}

int recording_start(struct sampler *sampler, struct err *err)
{
	if (!recording_step(sampler))
		return 0;
	if (sampler->last_error.text[0])
		return err_set(err, EINVAL, "%s", sampler->last_error.text);
	return err_set(err, ENODATA, "the recorded session has no samples");
}

int recording_step(struct sampler *sampler)
{
	const struct frame *frame;
	int rc = sampler->recording->next(sampler->recording->data, &frame, &sampler->last_error);

	if (rc)
		return -ENODATA;
	frame_unref(sampler->played);
	sampler->played = frame_ref(frame);
	collector_publish(sampler, frame);
	collector_wake_consumers(sampler);
	return 0;
}
