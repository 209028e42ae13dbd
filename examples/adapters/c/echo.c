// A transport for perf-battle in C: frames of a 4-byte length and a payload over TCP, for IPv4 on Linux. docs/adapter-contract.md
// describes the JSON lines on standard input and output.
//
//   cc -O2 -pthread -o echo echo.c && perf-battle --external "C=./echo server,./echo client"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *options, *warm_up; // of the last configure
static int connection = -1, listener = -1, no_delay;
static long discarded, corrupted, served, *samples;

static void fail(const char *message) {
  printf("{\"event\":\"error\",\"message\":\"%s\"}\n", message);
  exit(1);
}

// The text after "key": in JSON without spaces; NULL where it is missing or null.
static const char *text(const char *json, const char *key) {
  char quoted[64];
  int length = snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *found = strstr(json, quoted);
  return found && strncmp(found + length, "null", 4) ? found + length : NULL;
}

static double number(const char *json, const char *key) {
  return text(json, key) ? atof(text(json, key)) : 0;
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

// A frame, its length included, in memory that grows; its size, or 0 at the end of the connection.
static size_t receive(int socket, char **frame, size_t *capacity) {
  uint32_t length;
  if (recv(socket, &length, 4, MSG_WAITALL) != 4) return 0;
  size_t size = 4 + (size_t)ntohl(length);
  if (size > *capacity) *frame = realloc(*frame, *capacity = size);
  memcpy(*frame, &length, 4);
  return recv(socket, *frame + 4, size - 4, MSG_WAITALL) == (ssize_t)(size - 4) ? size : 0;
}

static void *echo(void *socket) {
  char *frame = NULL;
  size_t capacity = 0, size;
  while ((size = receive((intptr_t)socket, &frame, &capacity)) && __sync_add_and_fetch(&served, 1))
    if (send((intptr_t)socket, frame, size, MSG_NOSIGNAL) < 0) break;
  return free(frame), close((intptr_t)socket), NULL;
}

static void run(void *(*function)(void *), void *given) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, given) || pthread_detach(thread)) fail("no thread could be started");
}

static void *accept_all(void *unused) {
  for (intptr_t socket; (socket = accept(listener, NULL, NULL)) >= 0; run(echo, (void *)socket))
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  return unused;
}

static void configure(int is_server) {
  char *parts = (char *)text(options, "warmUp");
  if (parts) warm_up = strdup(parts), memset(parts, ' ', strchr(parts, ']') - parts); // they have the same keys
  if (!strstr(options, "\"workload\":\"rtt\"")) fail("this program measures only rtt");
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(number(options, "serverPort"))};
  const char *where = text(options, is_server ? "listenAddress" : "servers");
  char host[64] = "0.0.0.0";
  if (where) sscanf(where + strspn(where, "[\""), "%63[0-9.]", host);
  if (!is_server) name.sin_port = htons(atoi(strchr(where, ':') + 1));
  if (inet_pton(AF_INET, host, &name.sin_addr) != 1) fail("this program needs an IPv4 address");
  int timeout = number(options, "timeoutMs");
  struct timeval limit = {.tv_sec = timeout / 1000, .tv_usec = timeout % 1000 * 1000};
  no_delay = *text(options, "noDelay") == 't';
  socklen_t length = sizeof name;
  if (is_server && listener < 0) {
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&name, length) || listen(listener, 128)) fail("it could not listen");
    run(accept_all, NULL);
  } else if (!is_server && connection < 0) {
    connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&name, length)) fail("it could not connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  getsockname(is_server ? listener : connection, (struct sockaddr *)&name, &length);
  printf("{\"event\":\"ready\",\"address\":\"%s:%d\"}\n", host, ntohs(name.sin_port));
}

// One request after the other. Only sending and receiving are timed. Returns the number of samples.
static long exchange(const char *part) {
  static char *request, *reply;
  static size_t capacity;
  size_t bytes = number(part, "payloadBytes");
  long most = number(part, "samples"), count = 0, room = 0;
  long duration = number(part, "durationMs") * 1e6, begun = now(), after = begun;
  uint32_t length = htonl(bytes), random = 1;
  memcpy(request = realloc(request, 4 + bytes), &length, 4);
  for (size_t at = 4; at < 4 + bytes; at++) request[at] = (random = random * 1664525 + 1013904223) >> 24;
  for (corrupted = 0; (!most || count < most) && (!duration || after - begun < duration); count++) {
    memcpy(request + 4, &count, bytes < sizeof count ? bytes : sizeof count);
    if (count == room) samples = realloc(samples, (room = 2 * room + 1024) * sizeof *samples);
    long before = now();
    ssize_t sent = send(connection, request, 4 + bytes, MSG_NOSIGNAL);
    size_t size = sent < 0 ? 0 : receive(connection, &reply, &capacity);
    samples[count] = (after = now()) - before;
    if (size == 0) fail("there was no reply: the server is gone, or it took too long");
    corrupted += size != 4 + bytes || memcmp(request, reply, size);
  }
  return count;
}

static void *work(void *is_measured) {
  char *part = warm_up, *end = strchr(part, ']');
  if (!is_measured) {
    for (discarded = 0; (part = strchr(part, '{')) && part < end; part++) discarded += exchange(part);
    return puts("{\"event\":\"progress\",\"phase\":\"warm\"}"), NULL;
  }
  long count = exchange(options);
  puts("{\"event\":\"progress\",\"phase\":\"measured\"}");
  printf("{\"event\":\"result\",\"received\":%ld,\"verified\":%ld,\"corrupted\":%ld,\"discarded\":%ld,\"samplesNs\":[",
         count, count, corrupted, discarded);
  for (long at = 0; at < count; at++) printf("%s%ld", at ? "," : "", samples[at]);
  return puts("]}"), NULL;
}

int main(int count, char **arguments) {
  size_t capacity = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  // The program ends with its input, or by SIGALRM after 5 s without a line: then the battle is gone.
  for (char *line = NULL; alarm(5), getline(&line, &capacity, stdin) > 0 && !strstr(line, "\"stop\"");) {
    if (strstr(line, "\"configure\"") && (options = strdup(line)))
      configure(!strcmp(arguments[count - 1], "server"));
    else if (strstr(line, "\"mark\""))
      printf("{\"event\":\"progress\",\"phase\":\"mark\",\"served\":%ld}\n", __atomic_exchange_n(&served, 0, __ATOMIC_RELAXED));
    else if (strstr(line, "\"start\"") || strstr(line, "\"go\""))
      run(work, strstr(line, "\"go\""));
  }
  return 0;
}
