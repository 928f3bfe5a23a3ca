/*
 * hot_threads ROUNDS: once a line can be read, a thread that has waited for it touches pages, and so do, ROUNDS times each, a
 * thread that starts and ends and a child: 50, 30 and 20 parts of the page faults. At the end it prints those of each function.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITED = 5000, STARTED = 3000, CHILD = 2000 };

static sem_t begin;

#define FUNCTION(name, n)                                                         \
	__attribute__((noinline, aligned(64))) static void name(void)             \
	{                                                                         \
		size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (n)*page;     \
		volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,  \
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); \
                                                                                  \
		madvise((void *)memory, size, MADV_NOHUGEPAGE);                   \
		for (size_t i = 0; i < (n); i++)                                  \
			memory[i * page] = 1;                                     \
		munmap((void *)memory, size);                                     \
	}

FUNCTION(hot_waited, WAITED)
FUNCTION(hot_started, STARTED)
FUNCTION(hot_child, CHILD)

static void *started(void *data)
{
	hot_started();
	return data;
}

static void *waited(void *data)
{
	sem_wait(&begin);
	for (long i = 0; i < *(const long *)data; i++)
		hot_waited();
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	pthread_t thread[2];

	sem_init(&begin, 0, 0);
	pthread_create(&thread[0], NULL, waited, &rounds);
	puts("ready");
	fflush(stdout);
	getchar();
	sem_post(&begin);
	for (long i = 0; i < rounds; i++) {
		pthread_create(&thread[1], NULL, started, NULL);
		pthread_join(thread[1], NULL);
		if (fork() == 0) {
			hot_child();
			_exit(0);
		}
		wait(NULL);
	}
	pthread_join(thread[0], NULL);
	printf("hot_waited %ld 0\nhot_started %ld 0\nhot_child %ld 0\n", WAITED * rounds,
	       STARTED * rounds, CHILD * rounds);
	return 0;
}
