/* answer.c: the least that serving a page costs: poll, receive, send. Prints its address as m1top serve does
 *
 * usage: answer BYTES      until it is killed; one client at a time */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_MAX = 100 };

static void answer(int client, const char *page, size_t size)
{
	struct pollfd readable = { .fd = client, .events = POLLIN };
	char request[4096];

	while (poll(&readable, 1, -1) > 0 && recv(client, request, sizeof(request), 0) > 0)
		if (send(client, page, size, MSG_NOSIGNAL) < 0)
			return;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char *page = malloc(n + HEAD_MAX);
	int head;

	if (!page || bind(fd, (struct sockaddr *)&address, size) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&address, &size))
		return 1;
	head = snprintf(page, HEAD_MAX, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
	memset(page + head, '.', n);
	fprintf(stderr, "serving http://127.0.0.1:%d/\n", ntohs(address.sin_port));
	for (;;) {
		int client = accept(fd, NULL, NULL);

		answer(client, page, (size_t)head + n);
		close(client);
	}
}
