/*
 * Round trips over TCP in C, for the bound of the floor: the same frames as raw TCP (a length of 4 bytes, then the payload), one at a time, with
 * blocking sockets.
 *
 * ping-pong server                              prints its port, and answers each connection in turn until it is ended
 * ping-pong client PORT BYTES WARMUP SAMPLES    prints the median as {"p50Ms": ...}
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Returns 0 at the end of the stream. */
static int read_all(int socket, char *bytes, size_t count) {
  while (count > 0) {
    ssize_t got = read(socket, bytes, count);
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) fail("read");
    if (got > 0) bytes += got, count -= got;
  }
  return 1;
}

static void write_all(int socket, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t put = write(socket, bytes, count);
    if (put < 0 && errno != EINTR) fail("write");
    if (put > 0) bytes += put, count -= put;
  }
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void no_delay(int socket) {
  int on = 1;
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)) fail("TCP_NODELAY");
}

static void serve(void) {
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (bind(listening, (struct sockaddr *)&address, length) || listen(listening, 8)) fail("listen");
  getsockname(listening, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  char *frame = NULL;
  for (;;) {
    int socket = accept(listening, NULL, NULL);
    if (socket < 0) fail("accept");
    no_delay(socket);
    uint32_t header;
    while (read_all(socket, (char *)&header, sizeof header)) {
      size_t bytes = ntohl(header);
      frame = realloc(frame, sizeof header + bytes);
      if (frame == NULL) fail("realloc");
      memcpy(frame, &header, sizeof header);
      if (!read_all(socket, frame + sizeof header, bytes)) break;
      write_all(socket, frame, sizeof header + bytes);
    }
    close(socket);
  }
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static void measure(int port, size_t bytes, int warm_up, int samples) {
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(port);
  if (connect(connection, (struct sockaddr *)&address, sizeof address)) fail("connect");
  no_delay(connection);
  size_t length = sizeof(uint32_t) + bytes;
  char *sent = malloc(length), *received = malloc(length);
  double *times = malloc(samples * sizeof *times);
  if (sent == NULL || received == NULL || times == NULL) fail("malloc");
  uint32_t header = htonl(bytes);
  memcpy(sent, &header, sizeof header);
  for (size_t index = 0; index < bytes; index++) sent[sizeof header + index] = (char)rand();
  for (int index = -warm_up; index < samples; index++) {
    double before = now_ms();
    write_all(connection, sent, length);
    if (!read_all(connection, received, length)) fail("the server hung up");
    double after = now_ms();
    if (index >= 0) times[index] = after - before;
    if (memcmp(sent, received, length) != 0) {
      fprintf(stderr, "A reply differs from its request.\n");
      exit(1);
    }
  }
  qsort(times, samples, sizeof *times, compare);
  printf("{\"p50Ms\": %.6f}\n", times[samples / 2]);
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "server") == 0) serve();
  if (count != 6 || strcmp(words[1], "client") != 0) {
    fprintf(stderr, "ping-pong server | ping-pong client PORT BYTES WARMUP SAMPLES\n");
    return 2;
  }
  measure(atoi(words[2]), atol(words[3]), atoi(words[4]), atoi(words[5]));
  return 0;
}
