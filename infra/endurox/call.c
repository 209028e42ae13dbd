// A transport for perf-battle in C: calls of Enduro/X, one at a time (tpcall) or several in flight (tpacall, tpgetrply),
// over its queues between two programs on one host. docs/adapters.md describes the JSON lines on standard input and
// output. It needs no ndrxd: client and server find each other by the name of a queue, which follows from the seed that
// both get. build.sh installs Enduro/X and compiles this.
#include <atmi.h>
#include <mqueue.h>
#include <ndrx_config.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

#define OVERHEAD 1024 // bytes that Enduro/X adds to a message, at most
#define MOST_IN_FLIGHT 20000
#define MOST_PAIRS 100
#define MOST_SERVERS "1000" // numbers of servers
#define KEYS 64       // keys of shared memory and semaphores that a pair uses, at most

static char *options, *warm_up; // of the last configure
static char prefix[32];         // what the names of all queues of this pair begin with
static char number_of_server[8];
static const char *program; // its name, by which Enduro/X names queues
static int is_server, is_pipeline, keys; // keys: the first one of shared memory and semaphores of this pair
static char *request, *reply;
static long message_size, most_in_flight; // that the queues hold
static long discarded, corrupted, served, *samples, capacity;
static double elapsed_ms;
static int serving, work_for[2]; // a pipe of lines for the main thread

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

static void ready(void) {
  printf("{\"event\":\"ready\",\"address\":null,\"details\":{\"endurox\":\"%s\",\"poller\":\"%s\"}}\n", NDRX_VERSION,
         EX_POLLER_STR);
}

static long limit(const char *path) {
  long value = 0;
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%ld", &value) != 1) fail("the limits of POSIX message queues could not be read");
  return fclose(file), value;
}

// Deletes the shared memory and the semaphores of this pair, once nobody uses them.
static void delete_shared(void) {
  struct shmid_ds memory;
  int id, used = 0;
  for (int at = 0; at < KEYS; at++)
    if ((id = shmget(keys + at, 0, 0)) >= 0 && !shmctl(id, IPC_STAT, &memory)) {
      if (memory.shm_nattch) used = 1;
      else shmctl(id, IPC_RMID, NULL);
    }
  for (int at = 0; at < KEYS && !used; at++)
    if ((id = semget(keys + at, 0, 0)) >= 0) semctl(id, 0, IPC_RMID);
}

// What Enduro/X makes outlives its processes. This process waits for the end of the program, however it comes, and
// deletes that.
static void leave_keeper(void) {
  char names[4][128];
  int pid = getpid(), ends[2];
  snprintf(names[0], 128, "%s,svc,ECHO", prefix);
  snprintf(names[1], 128, "%s,srv,admin,%s,%s,%d", prefix, program, number_of_server, pid);
  snprintf(names[2], 128, "%s,srv,reply,%s,%s,%d", prefix, program, number_of_server, pid);
  snprintf(names[3], 128, "%s,clt,reply,%s,%d,1", prefix, program, pid);
  if (pipe(ends)) fail("no pipe could be made");
  if (fork()) return (void)close(ends[0]);
  char end;
  setsid(); // this group of processes may be killed
  for (int other = 0; other < 3; other++) close(other);
  close(ends[1]);
  while (read(ends[0], &end, 1) > 0) continue;
  for (int at = is_server ? 0 : 3; at < 4; at++) mq_unlink(names[at]);
  delete_shared();
  _exit(0);
}

// Sizes of the queues, as large as the limits of the system and of the user allow: a server has two and one that all of
// them share, each client one. ENDUROX_PAIRS is how many there are of both.
static void size_queues(long *bytes, long *messages) {
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, own;
  setrlimit(RLIMIT_MSGQUEUE, &all); // allowed with CAP_SYS_RESOURCE alone
  getrlimit(RLIMIT_MSGQUEUE, &own);
  long pairs = getenv("ENDUROX_PAIRS") ? atol(getenv("ENDUROX_PAIRS")) : 1;
  if (pairs < 1 || pairs > MOST_PAIRS) fail("ENDUROX_PAIRS must be a number from 1 to 100");
  long share = own.rlim_cur == RLIM_INFINITY ? 1L << 40 : (long)own.rlim_cur / (4 * pairs + 2);
  *bytes = limit("/proc/sys/fs/mqueue/msgsize_max"), *messages = limit("/proc/sys/fs/mqueue/msg_max");
  if (*bytes > share / 2 - 128) *bytes = share / 2 - 128;
  if (*messages > share / (*bytes + 128)) *messages = share / (*bytes + 128);
  if (*messages > 10) *messages = 10;
}

// The settings of Enduro/X, for this process alone.
static void enter_domain(void) {
  char key[24], size[24], count[24], seconds[24];
  size_queues(&message_size, &most_in_flight);
  snprintf(prefix, sizeof prefix, "/pb%lx", (long)number(options, "seed"));
  keys = 0x50420000 + (long)number(options, "seed") % 512 * KEYS;
  snprintf(key, sizeof key, "%x", keys);
  snprintf(size, sizeof size, "%ld", message_size);
  snprintf(count, sizeof count, "%ld", most_in_flight);
  most_in_flight *= 2; // requests and replies
  snprintf(seconds, sizeof seconds, "%d", (int)(number(options, "timeoutMs") + 999) / 1000); // whole ones only
  const char *settings[][2] = {
    {"NDRX_QPREFIX", prefix}, {"NDRX_IPCKEY", key}, {"NDRX_MSGSIZEMAX", size}, {"NDRX_MSGMAX", count},
    {"NDRX_TOUT", seconds}, {"NDRX_NODEID", "1"}, {"NDRX_CLUSTERISED", "0"}, {"NDRX_LDBAL", "0"},
    {"NDRX_SVCMAX", "20"}, {"NDRX_SRVMAX", MOST_SERVERS}, {"NDRX_RNDK", "perf-battle"}, {"NDRX_QPATH", "/dev/mqueue"},
    {"NDRX_SHMPATH", "/dev/shm"}, {"NDRX_ULOG", "/dev/null"}, {"NDRX_DQMAX", "10"}, {"NDRX_CMDWAIT", "1"},
    {"NDRX_DPID", "/tmp/none"}, {"NDRX_UBFMAXFLDS", "1000"}, {"NDRX_DEBUG_STR", "ndrx=0 ubf=0 tp=0 file=/dev/null"},
  };
  for (size_t at = 0; at < sizeof settings / sizeof *settings; at++) setenv(settings[at][0], settings[at][1], 1);
  leave_keeper();
}

static void echo(TPSVCINFO *call) {
  __atomic_add_fetch(&served, 1, __ATOMIC_RELAXED);
  tpreturn(TPSUCCESS, 0, call->data, call->len, 0);
}

static int start_server(int count, char **arguments) {
  (void)count, (void)arguments;
  if (tpadvertise("ECHO", echo)) fail("the service could not be advertised");
  serving = 1;
  ready();
  return 0;
}

static void end_server(void) {}

static void prepare(long bytes) {
  if (bytes + OVERHEAD > message_size) {
    char message[256];
    snprintf(message, sizeof message,
             "messages of %ld bytes do not fit into queues for messages of %ld: raise fs.mqueue.msgsize_max (sysctl) and "
             "the user's limit msgqueue (ulimit -q)",
             bytes, message_size);
    fail(message);
  }
  if (bytes > capacity) {
    request = request ? tprealloc(request, bytes) : tpalloc("CARRAY", NULL, bytes);
    reply = reply ? reply : tpalloc("CARRAY", NULL, bytes);
    capacity = bytes;
  }
  if (!request || !reply) fail("there is no memory for a message");
}

static void configure(void) {
  char *parts = (char *)text(options, "warmUp");
  if (parts) warm_up = strdup(parts), memset(parts, ' ', strchr(parts, ']') - parts); // they have the same keys
  is_pipeline = !!strstr(options, "\"workload\":\"pipeline\"");
  if (!is_pipeline && !strstr(options, "\"workload\":\"rtt\"")) fail("this program measures only rtt and pipeline");
  if (!*prefix) {
    enter_domain();
    if (is_server) return; // it is ready once Enduro/X runs
    if (tpinit(NULL)) fail(tpstrerror(tperrno));
  }
  if (!is_server) {
    long length;
    prepare(number(options, "payloadBytes"));
    // The server is ready before its queue is open.
    for (int tries = 0; tpcall("ECHO", request, 1, &reply, &length, TPSIGRSTRT); tries++)
      if (tries == 500) fail("the service does not answer: both programs must run on one host");
      else usleep(10000);
  }
  ready();
}

// One call after the other, or in a pipeline several calls in flight. Only the calls are timed. Returns the number of
// samples.
static long exchange(const char *part) {
  static struct { long number, at; } in_flight[MOST_IN_FLIGHT];
  long bytes = number(part, "payloadBytes"), most = number(part, "samples"), count = 0, sent = 0, room = 0, length;
  long window = is_pipeline ? number(options, "window") : 1;
  long duration = number(part, "durationMs") * 1e6, begun = now(), after = begun;
  uint32_t random = 1;
  prepare(bytes);
  if (window > most_in_flight) fail("the window is larger than what the queues hold: see fs.mqueue.msg_max and ulimit -q");
  for (long at = 0; at < bytes; at++) request[at] = (random = random * 1664525 + 1013904223) >> 24;
  size_t head = bytes < (long)sizeof sent ? (size_t)bytes : sizeof sent;
  for (corrupted = 0;; count++) {
    int call = 0, more = (!most || sent < most) && (!duration || after - begun < duration);
    if (count == room) samples = realloc(samples, (room = 2 * room + 1024) * sizeof *samples);
    if (is_pipeline) {
      for (; more && sent - count < window && (!most || sent < most); sent++) {
        memcpy(request, &sent, head);
        long at = now();
        if ((call = tpacall("ECHO", request, bytes, TPSIGRSTRT)) <= 0 || call >= MOST_IN_FLIGHT) fail(tpstrerror(tperrno));
        in_flight[call].number = sent, in_flight[call].at = at;
      }
      if (sent == count) break;
      if (tpgetrply(&call, &reply, &length, TPGETANY | TPSIGRSTRT)) fail(tpstrerror(tperrno));
      memcpy(request, &in_flight[call].number, head);
    } else {
      if (!more) break;
      memcpy(request, &sent, head);
      in_flight[call].at = now(), sent++;
      if (tpcall("ECHO", request, bytes, &reply, &length, TPSIGRSTRT)) fail(tpstrerror(tperrno));
    }
    samples[count] = (after = now()) - in_flight[call].at;
    corrupted += length != bytes || memcmp(request, reply, bytes);
  }
  elapsed_ms = (after - begun) / 1e6;
  return count;
}

static void work(int is_measured) {
  char *part = warm_up, *end = strchr(part, ']');
  if (!is_measured) {
    for (discarded = 0; (part = strchr(part, '{')) && part < end; part++) discarded += exchange(part);
    return (void)puts("{\"event\":\"progress\",\"phase\":\"warm\"}");
  }
  long count = exchange(options);
  puts("{\"event\":\"progress\",\"phase\":\"measured\"}");
  printf("{\"event\":\"result\",\"received\":%ld,\"verified\":%ld,\"corrupted\":%ld,\"discarded\":%ld,", count, count, corrupted,
         discarded);
  printf("\"durationMs\":%f,\"samplesNs\":[", elapsed_ms);
  for (long at = 0; at < count; at++) printf("%s%ld", at ? "," : "", samples[at]);
  puts("]}");
}

// Passes on what is not for now: a client works in the thread that entered Enduro/X, and a server's serves.
static void *listen_to_battle(void *unused) {
  size_t room = 0;
  (void)unused;
  // The program ends with its input, or by SIGALRM after 5 s without a line: then the battle is gone.
  for (char *line = NULL; alarm(5), getline(&line, &room, stdin) > 0 && !strstr(line, "\"stop\"");) {
    if (is_server && strstr(line, "\"mark\""))
      printf("{\"event\":\"progress\",\"phase\":\"mark\",\"served\":%ld}\n", __atomic_exchange_n(&served, 0, __ATOMIC_RELAXED));
    else if (is_server && serving && strstr(line, "\"configure\""))
      ready();
    else if (strstr(line, "\"configure\"") || strstr(line, "\"start\"") || strstr(line, "\"go\"")) {
      char *copy = strdup(line);
      if (write(work_for[1], &copy, sizeof copy) < 0) break;
    }
  }
  fflush(stdout);
  _exit(0);
}

int main(int count, char **arguments) {
  pthread_t listener;
  program = strrchr(arguments[0], '/') ? strrchr(arguments[0], '/') + 1 : arguments[0];
  is_server = !strcmp(arguments[count - 1], "server");
  snprintf(number_of_server, sizeof number_of_server, "%d", 1 + getpid() % (atoi(MOST_SERVERS) - 1));
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (pipe(work_for) || pthread_create(&listener, NULL, listen_to_battle, NULL))
    fail("no thread could be started");
  for (char *line; read(work_for[0], &line, sizeof line) == sizeof line;) {
    if (strstr(line, "\"configure\"")) {
      options = line;
      configure();
    } else
      work(!!strstr(line, "\"go\""));
    if (!is_server) continue;
    char *server[] = {arguments[0], "-i", number_of_server, "--", NULL};
    return ndrx_main_integra(4, server, start_server, end_server, 0);
  }
  return 1;
}
