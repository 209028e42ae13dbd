// A transport for perf-battle in C: calls of Enduro/X, one at a time (tpcall), several in flight (tpacall, tpgetrply, or
// a thread for each) or without replies (tpacall), over its queues between two programs on one host, or with
// ENDUROX_BRIDGE=1 between two domains over TCP; calls through its cache (tpcache); and its persistent queue (tpenqueue,
// tpdequeue). docs/adapter-contract.md describes the JSON lines on standard input and output. Calls on one host need no ndrxd: client
// and server find each other by the name of a queue, which follows from the seed that both get. With ENDUROX_DAEMON=1 the
// server starts one beside them. The others need it, so a program starts a domain by domain.sh. build.sh installs Enduro/X
// and compiles this.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <atmi.h>
#include <dirent.h>
#include <ndrx_config.h>
#include <pthread.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <ubf.h>
#include <unistd.h>

// Enduro/X is built for one kind of queues: those of the kernel, or its own ones in files that processes share as memory.
#ifdef EX_USE_EMQ
#define FOLDER_OF_QUEUES "/dev/shm"
#define TOO_LARGE "they are the largest of this program"
#define LARGEST (1 << 20) // bytes of a message
#else
#include <mqueue.h>
#define FOLDER_OF_QUEUES "/dev/mqueue"
#define TOO_LARGE "raise fs.mqueue.msgsize_max (sysctl) and the user's limit msgqueue (ulimit -q)"
#endif
#define OVERHEAD 1024 // bytes that Enduro/X adds to a message, at most
#define OF_SERVER 4 // queues of a server
#define MOST_IN_FLIGHT 20000
#define MOST_PAIRS 100
#define PAIRS_OF_STORE 6 // a domain with a persistent queue has as many queues as so many clients and servers
#define PAIRS_OF_BRIDGE 9 // as many as two domains with a bridge
#define PAIRS_OF_WATCHED 4 // as many as a domain with its daemon alone
#define MOST_SERVERS "1000" // numbers of servers
#define NUMBER ((long)sizeof(long)) // bytes at the beginning of a message
#define CACHED 256 // replies in the cache
#define KEY Bmkfldid(BFLD_LONG, 5001) // fields of a call through the cache, as in name_cache
#define REFRESH Bmkfldid(BFLD_SHORT, 5002)
#define DATA Bmkfldid(BFLD_CARRAY, 5003)
#define KEYS 64       // keys of shared memory and semaphores that a pair uses, at most

static char *options, *warm_up; // of the last configure
static char prefix[32];         // what the names of all queues of this pair begin with
static char number_of_server[8];
static char domain[PATH_MAX]; // the folder of a domain with daemons, or of the cache; empty without one
static char address[80] = "null"; // on which the bridge of a server listens, in JSON
static const char *program; // its name, by which Enduro/X names queues
static int is_server, is_pipeline, is_stream, is_queue, is_pairwise, is_cached, is_bridged, is_watched, has_daemons, increments;
static int keys;    // the first one of shared memory and semaphores of this pair
static int threads; // that call at once; 0: only the main thread calls
static char *request, *reply;
static UBFH *asked, *answer; // through the cache
static long message_size, most_in_flight; // that the queues hold
static long discarded, corrupted, served, *samples, capacity;
static long arrived, compared, arrived_wrong, first_at, last_at; // one-way messages since the last mark
static pthread_mutex_t arriving = PTHREAD_MUTEX_INITIALIZER;

// A part of a measurement.
static struct {
  long bytes, most, duration, begun, sent, room;
} part;
static int serving, work_for[2]; // a pipe of lines for the main thread

static void fail(const char *message) {
  printf("{\"event\":\"error\",\"message\":\"");
  for (; *message; message++) putchar(*message == '"' || *message == '\\' || *message < ' ' ? '\'' : *message);
  puts("\"}");
  exit(1);
}

static void fail_with_queue(const TPQCTL *control) {
  fail(tperrno == TPEDIAGNOSTIC ? control->diagmsg : tpstrerror(tperrno));
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

// The daemon beside the calls, in JSON; none without one.
static const char *daemon_beside(void) {
  static char text_of_daemon[40];
  long pid = 0;
  FILE *file = is_watched && is_server ? fopen(getenv("NDRX_DPID"), "r") : NULL;
  if (file && fscanf(file, "%ld", &pid) == 1) snprintf(text_of_daemon, sizeof text_of_daemon, "\"daemons\":[%ld],", pid);
  return file && fclose(file), text_of_daemon;
}

static void ready(void) {
  const char *repeated = increments ? "\"reply\":\"increment\"," : "";
  printf("{\"event\":\"ready\",\"address\":%s,%s%s\"details\":{\"endurox\":\"%s\",\"poller\":\"%s\"}}\n", address, repeated,
         daemon_beside(), NDRX_VERSION, EX_POLLER_STR);
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

// The folder of this program.
static const char *own_folder(void) {
  static char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return dirname(path);
}

// Whether a process was started with the settings of this domain.
static int is_of_domain(const char *pid) {
  char path[64], *variable = NULL;
  size_t room = 0;
  int found = 0;
  snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
  FILE *file = fopen(path, "r");
  while (file && !found && getdelim(&variable, &room, 0, file) > 0)
    found = !strncmp(variable, "NDRX_RNDK=", 10) && !strcmp(variable + 10, prefix + 1);
  return file && fclose(file), free(variable), found;
}

// Nothing of a domain is kept, so its daemons need not end in good order.
static void kill_daemons(void) {
  for (int tries = 0, found = 1; found && tries < 500; tries++) {
    struct dirent *entry;
    DIR *processes = opendir("/proc");
    for (found = 0; processes && (entry = readdir(processes));)
      if (atoi(entry->d_name) > 0 && is_of_domain(entry->d_name)) found |= !kill(atoi(entry->d_name), SIGKILL);
    if (processes) closedir(processes);
    if (found) usleep(10000);
  }
}

static void delete_queue(const char *name) {
#ifdef EX_USE_EMQ
  char path[NAME_MAX + 32];
  snprintf(path, sizeof path, FOLDER_OF_QUEUES "%s", name), unlink(path);
#else
  mq_unlink(name);
#endif
}

// The kernel lists its queues in a folder: here if this process may mount it, else at its usual place.
static int mount_queues(void) {
#ifdef EX_USE_EMQ
  return 0;
#else
  return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("none", domain, "mqueue", 0, NULL);
#endif
}

static void delete_queues(void) {
  struct dirent *entry;
  char name[NAME_MAX + 2];
  size_t length = strlen(prefix);
  int is_mounted = mount_queues();
  DIR *queues = opendir(is_mounted ? domain : FOLDER_OF_QUEUES);
  while (queues && (entry = readdir(queues))) {
    snprintf(name, sizeof name, "/%s", entry->d_name);
    if (!strncmp(name, prefix, length) && name[length] == ',') delete_queue(name);
  }
  if (queues) closedir(queues);
  if (is_mounted) umount2(domain, MNT_DETACH);
}

// Waits for a child, and for processes of the domain that end meanwhile: xadmin takes a process for alive until then.
static int wait_for(int child) {
  int status, pid;
  while ((pid = wait(&status)) != child)
    if (pid < 0) return -1;
  return status;
}

// They count as started by this program. The domain before may still be ending, and both have more queues than a user may.
static void start_daemons(void) {
  char path[PATH_MAX + 32];
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  snprintf(path, sizeof path, "%s/perf-battle-endurox-domain", own_folder());
  for (int tries = 0, child; tries < 10; tries++) {
    if (!(child = fork())) execl(path, path, domain, NULL), _exit(1);
    if (!wait_for(child)) return;
    if (!(child = fork())) kill_daemons(), delete_queues(), _exit(0);
    wait_for(child);
    sleep(1);
  }
  fail("a domain of Enduro/X did not start");
}

// What Enduro/X makes outlives its processes. This process waits for the end of the program, however it comes, and
// deletes that.
static void leave_keeper(void) {
  char names[OF_SERVER + 1 + MOST_PAIRS][128];
  int pid = getpid(), ends[2], names_of_client = 1 + threads;
  snprintf(names[0], 128, "%s,svc,ECHO", prefix);
  snprintf(names[3], 128, "%s,svc,ECHO,%s", prefix, number_of_server); // of one server, where they share none
  snprintf(names[1], 128, "%s,srv,admin,%s,%s,%d", prefix, program, number_of_server, pid);
  snprintf(names[2], 128, "%s,srv,reply,%s,%s,%d", prefix, program, number_of_server, pid);
  for (int at = 0; at < names_of_client; at++)
    snprintf(names[OF_SERVER + at], 128, "%s,clt,reply,%s,%d,%d", prefix, program, pid, 1 + at);
  if (pipe2(ends, O_CLOEXEC)) fail("no pipe could be made");
  if (fork()) return (void)close(ends[0]), (void)wait(NULL);
  if (fork()) _exit(0); // its usage is not that of the program
  char end;
  setsid(); // this group of processes may be killed
  for (int other = 0; other < 3; other++) close(other);
  close(ends[1]);
  while (read(ends[0], &end, 1) > 0) continue;
  if (has_daemons) kill_daemons(), delete_queues();
  for (int at = is_server ? 0 : OF_SERVER; at < OF_SERVER + names_of_client; at++) delete_queue(names[at]);
  delete_shared();
  if (*domain) execlp("rm", "rm", "-rf", domain, NULL);
  _exit(0);
}

#ifdef EX_USE_EMQ
// Sizes of the queues: as many messages as the kernel allows by default.
static void size_queues(long *bytes, long *messages) {
  *bytes = LARGEST + OVERHEAD, *messages = 10;
}
#else
static long limit(const char *path) {
  long value = 0;
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%ld", &value) != 1) fail("the limits of POSIX message queues could not be read");
  return fclose(file), value;
}

// Sizes of the queues, as large as the limits of the system and of the user allow: a server has two and one that all of
// them share, each client one. ENDUROX_PAIRS is how many there are of both.
static void size_queues(long *bytes, long *messages) {
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, own;
  setrlimit(RLIMIT_MSGQUEUE, &all); // allowed with CAP_SYS_RESOURCE alone
  getrlimit(RLIMIT_MSGQUEUE, &own);
  long pairs = getenv("ENDUROX_PAIRS") ? atol(getenv("ENDUROX_PAIRS")) : 1;
  if (pairs < 1 || pairs > MOST_PAIRS) fail("ENDUROX_PAIRS must be a number from 1 to 100");
  if (is_queue) pairs = PAIRS_OF_STORE;
  if (is_bridged) pairs = PAIRS_OF_BRIDGE;
  if (is_watched) pairs = PAIRS_OF_WATCHED;
  long share = own.rlim_cur == RLIM_INFINITY ? 1L << 40 : (long)own.rlim_cur / (4 * pairs + 2);
  *bytes = limit("/proc/sys/fs/mqueue/msgsize_max"), *messages = limit("/proc/sys/fs/mqueue/msg_max");
  if (*bytes > share / 2 - 128) *bytes = share / 2 - 128;
  if (*messages > share / (*bytes + 128)) *messages = share / (*bytes + 128);
  if (*messages > 10) *messages = 10;
}
#endif

// An IPv4 address and its port in the options, or the port that is free now.
static void find_address(char *host, int *port) {
  const char *where = text(options, is_server ? "listenAddress" : "servers");
  strcpy(host, "0.0.0.0");
  if (where) sscanf(where + strspn(where, "[\""), "%63[0-9.]", host);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(number(options, "serverPort"))};
  if (inet_pton(AF_INET, host, &name.sin_addr) != 1) fail("a bridge of this program needs an IPv4 address");
  if (!is_server) return (void)(*port = atoi(strchr(where, ':') + 1));
  int one = socket(AF_INET, SOCK_STREAM, 0), reused = 1;
  socklen_t length = sizeof name;
  setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &reused, sizeof reused);
  if (bind(one, (struct sockaddr *)&name, length) || getsockname(one, (struct sockaddr *)&name, &length))
    fail("the address of the bridge is taken");
  *port = ntohs(name.sin_port);
  close(one);
}

// The bridge of a server listens, that of a client connects to it.
static void name_bridge(void) {
  char host[64], value[160];
  int port;
  find_address(host, &port);
  snprintf(value, sizeof value, is_server ? "-tP -n1 -r -i%s -p%d" : "-tA -n2 -i%s -p%d", host, port);
  setenv("BRIDGE", value, 1), setenv("SERVER", number_of_server, 1);
  if (is_server) snprintf(address, sizeof address, "\"%s:%d\"", host, port);
}

// The settings of a domain that keeps messages in files. NDRX_XA_FLAGS=FSYNC, which a person may set, syncs each.
static void name_queue(void) {
  char value[2 * PATH_MAX];
  snprintf(value, sizeof value, "datadir=%s/messages,qspace=SPACE", domain);
  setenv("NDRX_XA_OPEN_STR", value, 1), setenv("NDRX_XA_CLOSE_STR", value, 1);
  setenv("NDRX_XA_RES_ID", "1", 1), setenv("NDRX_XA_LAZY_INIT", "0", 1);
  snprintf(value, sizeof value, "%s/../lib/libndrxxaqdisks.so", own_folder()), setenv("NDRX_XA_DRIVERLIB", value, 1);
  snprintf(value, sizeof value, "%s/../lib/libndrxxaqdisk.so", own_folder()), setenv("NDRX_XA_RMLIB", value, 1);
}

static void write_settings(const char *path, const char *content) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(content, file) < 0 || fclose(file)) fail("the settings of the cache could not be written");
}

// A database with room for all replies twice. A call that refreshes a key goes to the service as one whose key is not there
// does, and its reply is stored: so the cache needs no daemon that removes old replies.
static void name_cache(void) {
  char path[2 * PATH_MAX], content[2 * PATH_MAX];
  long bytes = 2 * CACHED * ((long)number(options, "payloadBytes") + 4096) + (4 << 20);
  snprintf(path, sizeof path, "%s/replies", domain);
  if (mkdir(path, 0700)) fail("no folder for the cache could be made");
  snprintf(content, sizeof content,
           "[@cachedb/replies]\ncachedb=replies\nresource=%s\nmap_size=%ld\n[@cache]\n"
           "svc ECHO={\"caches\":[{\"cachedb\":\"replies\",\"type\":\"UBF\",\"keyfmt\":\"$(KEY)\",\"save\":\"*\","
           "\"refreshrule\":\"REFRESH==1\",\"flags\":\"getreplace\"}]}\n",
           path, bytes / 4096 * 4096);
  snprintf(path, sizeof path, "%s/cache.ini", domain);
  write_settings(path, content), setenv("NDRX_CCONFIG", path, 1);
  snprintf(path, sizeof path, "%s/fields", domain);
  write_settings(path, "*base 5000\nKEY 1 long 0\nREFRESH 2 short 0\nDATA 3 carray 0\n");
  setenv("FLDTBLDIR", domain, 1), setenv("FIELDTBLS", "fields", 1);
}

static void name_domain(void) {
  char value[2 * PATH_MAX];
  const char *temporary = is_cached && !access("/dev/shm", W_OK) ? "/dev/shm" : getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  snprintf(domain, sizeof domain, "%s/perf-battle-endurox-XXXXXX", temporary);
  if (!mkdtemp(domain)) fail("no temporary folder could be made");
  const char *files[][2] = {
    {"NDRX_CONFIG", "ndrxconfig.xml"}, {"NDRX_DPID", "ndrxd.pid"}, {"NDRX_DMNLOG", "ndrxd.log"}, {"NDRX_LOG", "xadmin.log"}};
  for (size_t at = 0; at < sizeof files / sizeof *files; at++)
    snprintf(value, sizeof value, "%s/%s", domain, files[at][1]), setenv(files[at][0], value, 1);
  setenv("NDRX_APPHOME", domain, 1), setenv("NDRX_ULOG", domain, 1);
  is_cached ? name_cache() : is_queue ? name_queue() : is_bridged ? name_bridge() : (void)setenv("SERVER", number_of_server, 1);
}

// The settings of Enduro/X, for this process alone.
static void enter_domain(void) {
  char key[24], size[24], count[24], seconds[24];
  size_queues(&message_size, &most_in_flight);
  // The server starts the daemon of a domain that client and server share.
  has_daemons = is_queue || is_bridged || (is_watched && is_server);
  // Another domain is of this process alone, and the one before it may still be ending.
  long id = is_queue || is_bridged ? getpid() : (long)number(options, "seed");
  snprintf(prefix, sizeof prefix, "/pb%lx", id);
  keys = 0x50420000 + id % 512 * KEYS;
  snprintf(key, sizeof key, "%x", keys);
  snprintf(size, sizeof size, "%ld", message_size);
  snprintf(count, sizeof count, "%ld", most_in_flight);
  most_in_flight *= 2; // requests and replies
  snprintf(seconds, sizeof seconds, "%d", (int)(number(options, "timeoutMs") + 999) / 1000); // whole ones only
  const char *settings[][2] = {
    {"NDRX_QPREFIX", prefix}, {"NDRX_IPCKEY", key}, {"NDRX_MSGSIZEMAX", size}, {"NDRX_MSGMAX", count},
    {"NDRX_TOUT", seconds}, {"NDRX_NODEID", is_bridged && is_server ? "2" : "1"},
    {"NDRX_CLUSTERISED", is_bridged ? "1" : "0"}, {"NDRX_LDBAL", "0"},
    {"NDRX_SVCMAX", "20"}, {"NDRX_SRVMAX", MOST_SERVERS}, {"NDRX_RNDK", prefix + 1}, {"NDRX_QPATH", FOLDER_OF_QUEUES},
    {"NDRX_SHMPATH", "/dev/shm"}, {"NDRX_ULOG", "/dev/null"}, {"NDRX_DQMAX", "10"}, {"NDRX_CMDWAIT", "1"},
    {"NDRX_DPID", "/tmp/none"}, {"NDRX_UBFMAXFLDS", "1000"}, {"NDRX_DEBUG_STR", "ndrx=0 ubf=0 tp=0 file=/dev/null"},
  };
  for (size_t at = 0; at < sizeof settings / sizeof *settings; at++) setenv(settings[at][0], settings[at][1], 1);
  if (has_daemons || (is_cached && !is_server)) name_domain();
  leave_keeper();
}

static void prepare(long bytes) {
  if (bytes + OVERHEAD > message_size) {
    char message[256];
    snprintf(message, sizeof message,
             "messages of %ld bytes do not fit into queues for messages of %ld: " TOO_LARGE, bytes, message_size);
    fail(message);
  }
  if (bytes > capacity) {
    request = request ? tprealloc(request, bytes) : tpalloc("CARRAY", NULL, bytes);
    reply = reply ? reply : tpalloc("CARRAY", NULL, bytes);
    if (is_cached) asked = (UBFH *)tpalloc("UBF", NULL, bytes + OVERHEAD), answer = (UBFH *)tpalloc("UBF", NULL, bytes + OVERHEAD);
    capacity = bytes;
  }
  if (!request || !reply || (is_cached && (!asked || !answer))) fail("there is no memory for a message");
}

// The content of all messages, in which the first bytes are their number.
static void fill(char *message, long bytes) {
  uint32_t random = 1;
  for (long at = 0; at < bytes; at++) message[at] = (random = random * 1664525 + 1013904223) >> 24;
}

static int is_wrong(const char *sent, const char *received, long length) {
  if (length != part.bytes) return 1;
  if (!increments) return !!memcmp(sent, received, length);
  for (long at = 0; at < length; at++)
    if (received[at] != (char)(sent[at] + 1)) return 1;
  return 0;
}

// Compares every byte of one message in as many as --verify says, like the servers of perf-battle.
static void count_one_way(TPSVCINFO *call) {
  static long every;
  if (!every) every = number(options, "verify");
  pthread_mutex_lock(&arriving);
  last_at = now();
  if (!arrived) first_at = last_at;
  int wrong = call->len != capacity;
  if (arrived++ % every == 0) {
    compared++;
    wrong |= capacity > NUMBER && memcmp(call->data + NUMBER, request + NUMBER, capacity - NUMBER);
  }
  arrived_wrong += wrong;
  pthread_mutex_unlock(&arriving);
}

static void echo(TPSVCINFO *call) {
  char *data = call->data;
  BFLDLEN fields = 0;
  long length = call->len;
  if (call->flags & TPNOREPLY) count_one_way(call);
  // A call of a client that waits for the service has no message yet.
  if (is_cached && increments) data = Bfind((UBFH *)call->data, DATA, 0, &fields), length = data ? fields : 0;
  for (long at = 0; increments && at < length; at++) data[at]++;
  __atomic_add_fetch(&served, 1, __ATOMIC_RELAXED);
  tpreturn(TPSUCCESS, 0, call->data, call->len, 0);
}

static void report(void) {
  printf("{\"event\":\"progress\",\"phase\":\"mark\",\"served\":%ld", __atomic_exchange_n(&served, 0, __ATOMIC_RELAXED));
  pthread_mutex_lock(&arriving);
  long at = now();
  if (arrived)
    printf(",\"arrived\":{\"messages\":%ld,\"verified\":%ld,\"corrupted\":%ld,\"sinceFirstMs\":%f,\"sinceLastMs\":%f}",
           arrived, compared, arrived_wrong, (at - first_at) / 1e6, (at - last_at) / 1e6);
  arrived = compared = arrived_wrong = 0;
  pthread_mutex_unlock(&arriving);
  puts("}");
}

static int start_server(int count, char **arguments) {
  (void)count, (void)arguments;
  if (is_stream) prepare(number(options, "payloadBytes")), fill(request, capacity);
  if (tpadvertise("ECHO", echo)) fail("the service could not be advertised");
  serving = 1;
  ready();
  return 0;
}

static void end_server(void) {}

// Makes a call of a key through the cache.
static void ask_for(long key, short refresh) {
  if (Bchg(asked, KEY, 0, (char *)&key, 0) || Bchg(asked, REFRESH, 0, (char *)&refresh, 0)) fail(Bstrerror(Berror));
}

static void configure(void) {
  char *parts = (char *)text(options, "warmUp");
  if (parts) warm_up = strdup(parts), memset(parts, ' ', strchr(parts, ']') - parts); // they have the same keys
  is_pipeline = !!strstr(options, "\"workload\":\"pipeline\"");
  increments = !!strstr(options, "\"reply\":\"increment\"");
  is_stream = !!strstr(options, "\"workload\":\"stream\"");
  is_queue = !!strstr(options, "\"workload\":\"queue\"");
  is_pairwise = !!strstr(options, "\"pairwise\":true");
  is_cached = !!strstr(options, "\"workload\":\"cached\"");
  if (!is_pipeline && !is_stream && !is_queue && !is_cached && !strstr(options, "\"workload\":\"rtt\""))
    fail("this program measures only rtt, pipeline, cached, stream and queue");
  if (!*prefix) {
    if (is_pipeline && getenv("ENDUROX_THREADS")) threads = number(options, "window");
    if (threads > MOST_PAIRS) fail("a window of more than 100 threads is too large");
    is_bridged = !!getenv("ENDUROX_BRIDGE");
    if (is_bridged && (is_queue || is_cached))
      fail("the persistent queue and the cache are measured without a bridge: remove ENDUROX_BRIDGE");
    is_watched = !!getenv("ENDUROX_DAEMON");
    if (is_watched && (is_bridged || is_queue || is_cached))
      fail("a daemon beside calls is for rtt, pipeline and stream without a bridge: remove ENDUROX_DAEMON");
    enter_domain();
    if (is_bridged || (is_queue && !is_server) || (is_watched && is_server)) start_daemons();
    if (is_server) return; // it is ready once Enduro/X runs
    if (tpinit(NULL) || (is_queue && tpopen())) fail(tpstrerror(tperrno));
  }
  if (!is_server) {
    long length;
    prepare(number(options, "payloadBytes"));
    // The server is ready before its queue is open.
    if (is_cached) ask_for(0, 1);
    char *first = is_cached ? (char *)asked : request, **answered = is_cached ? (char **)&answer : &reply;
    for (int tries = 0; !is_queue && tpcall("ECHO", first, 1, answered, &length, TPSIGRSTRT); tries++)
      if (tries < 1000) usleep(10000);
      else
        fail(is_bridged ? "the service does not answer: a bridge joins one client and one server"
                        : "the service does not answer: both programs must run on one host");
  }
  ready();
}

static void begin_part(const char *json) {
  // A cache holds messages of one size.
  part.bytes = number(is_cached ? options : json, "payloadBytes"), part.most = number(json, "samples");
  part.duration = number(json, "durationMs") * 1e6, part.sent = corrupted = 0;
  prepare(part.bytes);
  fill(request, part.bytes);
  part.begun = now();
}

static int is_over(long at) {
  return (part.most && part.sent >= part.most) || (part.duration && at - part.begun >= part.duration);
}

static void put_number(char *message, long number_of_message) {
  memcpy(message, &number_of_message, part.bytes < NUMBER ? part.bytes : NUMBER);
}

// Room for one more sample than `count`.
static void make_room(long count) {
  if (count >= part.room) samples = realloc(samples, (part.room = 2 * part.room + 1024) * sizeof *samples);
}

// One call after the other, or in a pipeline several calls in flight. Only the calls are timed. Returns the number of
// samples.
static long exchange(void) {
  static struct { long number, at; } in_flight[MOST_IN_FLIGHT];
  long count, window = is_pipeline ? number(options, "window") : 1, length, after = part.begun;
  if (window > most_in_flight) fail("the window is larger than what the queues hold: see fs.mqueue.msg_max and ulimit -q");
  for (count = 0;; count++) {
    int call = 0;
    make_room(count);
    if (is_pipeline) {
      for (; part.sent - count < window && !is_over(after); part.sent++) {
        put_number(request, part.sent);
        long at = now();
        if ((call = tpacall("ECHO", request, part.bytes, TPSIGRSTRT)) <= 0 || call >= MOST_IN_FLIGHT) fail(tpstrerror(tperrno));
        in_flight[call].number = part.sent, in_flight[call].at = at;
      }
      if (part.sent == count) break;
      if (tpgetrply(&call, &reply, &length, TPGETANY | TPSIGRSTRT)) fail(tpstrerror(tperrno));
      put_number(request, in_flight[call].number);
    } else {
      if (is_over(after)) break;
      put_number(request, part.sent++);
      in_flight[call].at = now();
      if (tpcall("ECHO", request, part.bytes, &reply, &length, TPSIGRSTRT)) fail(tpstrerror(tperrno));
    }
    samples[count] = (after = now()) - in_flight[call].at;
    corrupted += is_wrong(request, reply, length);
  }
  return count;
}

// A call through the cache: one that the cache answers, or one whose reply it stores. Returns its time in ns. Only each of so
// many replies is compared.
static long call_through_cache(long key, long number_of_message, int is_hit, int is_compared) {
  long length;
  BFLDLEN bytes = 0;
  put_number(request, number_of_message);
  ask_for(key, !is_hit);
  if (!is_hit && Bchg(asked, DATA, 0, request, part.bytes)) fail(Bstrerror(Berror));
  long before = now();
  if (tpcall("ECHO", (char *)asked, 0, (char **)&answer, &length, TPSIGRSTRT)) fail(tpstrerror(tperrno));
  long taken = now() - before;
  char *data = Bfind(answer, DATA, 0, &bytes);
  corrupted += !data || (is_compared ? is_wrong(request, data, bytes) : bytes != part.bytes);
  return taken;
}

static long stored, stored_by[CACHED], cache_compared; // the numbers of the requests whose replies are cached
static long ask_service(void) {
  long key = stored++ % CACHED;
  stored_by[key] = part.sent;
  return call_through_cache(key, part.sent, 0, 1);
}

static long fill_cache(void) {
  begin_part(options);
  for (; stored < CACHED; part.sent++) ask_service();
  return part.sent;
}

// Samples of misses are negative.
static long exchange_through_cache(void) {
  static uint32_t random;
  long hits = 0, every = number(options, "verify"), after = part.begun;
  double ratio = number(options, "hitRatio");
  for (cache_compared = 0; !is_over(after); part.sent++) {
    int is_hit = (long)((part.sent + 1) * ratio) > (long)(part.sent * ratio), is_compared = !is_hit || hits++ % every == 0;
    make_room(part.sent);
    if (is_hit) {
      long key = (random = random * 1664525 + 1013904223) >> 24;
      samples[part.sent] = call_through_cache(key, stored_by[key], 1, is_compared);
    } else
      samples[part.sent] = -ask_service();
    cache_compared += is_compared;
    if (part.duration) after = now();
  }
  return part.sent;
}

// Threads that live as long as the program: the CPU time of those that have ended is known to 10 ms only.
static pthread_barrier_t begin, end;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

// Calls in a thread of its own, one call after the other.
static void *call_in_thread(void *unused) {
  char *own_request = NULL, *own_reply = NULL;
  long room = 0, after;
  if (tpinit(NULL)) fail(tpstrerror(tperrno));
  while (pthread_barrier_wait(&begin), 1) {
    if (part.bytes > room) {
      own_request = own_request ? tprealloc(own_request, part.bytes) : tpalloc("CARRAY", NULL, part.bytes);
      own_reply = own_reply ? own_reply : tpalloc("CARRAY", NULL, part.bytes);
      room = part.bytes;
    }
    fill(own_request, part.bytes);
    pthread_barrier_wait(&begin); // the part begins when all are prepared
    for (after = part.begun;;) {
      long length;
      pthread_mutex_lock(&counting);
      long own_number = is_over(after) ? -1 : part.sent++;
      if (own_number >= 0) make_room(own_number);
      pthread_mutex_unlock(&counting);
      if (own_number < 0) break;
      put_number(own_request, own_number);
      long before = now();
      if (tpcall("ECHO", own_request, part.bytes, &own_reply, &length, TPSIGRSTRT)) fail(tpstrerror(tperrno));
      after = now();
      int wrong = is_wrong(own_request, own_reply, length);
      pthread_mutex_lock(&counting);
      samples[own_number] = after - before, corrupted += wrong;
      pthread_mutex_unlock(&counting);
    }
    pthread_barrier_wait(&end);
  }
  return unused;
}

static long exchange_in_threads(void) {
  static int started;
  pthread_t thread;
  if (!started) pthread_barrier_init(&begin, NULL, threads + 1), pthread_barrier_init(&end, NULL, threads + 1);
  for (; started < threads; started++)
    if (pthread_create(&thread, NULL, call_in_thread, NULL)) fail("no thread could be started");
  pthread_barrier_wait(&begin);
  part.begun = now();
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&end);
  return part.sent;
}

static long send_all(void) {
  for (; !is_over(part.duration ? now() : 0); part.sent++) {
    put_number(request, part.sent);
    if (tpacall("ECHO", request, part.bytes, TPNOREPLY | TPSIGRSTRT) < 0) fail(tpstrerror(tperrno));
  }
  return part.sent;
}

// A message into the persistent queue, or out of it.
static void enqueue(long number_of_message) {
  TPQCTL control = {0};
  put_number(request, number_of_message);
  if (tpenqueue("SPACE", "MESSAGES", &control, request, part.bytes, TPNOTRAN)) fail_with_queue(&control);
}

static void dequeue(long number_of_message) {
  TPQCTL control = {0};
  long length = part.bytes;
  if (tpdequeue("SPACE", "MESSAGES", &control, &reply, &length, TPNOTRAN)) fail_with_queue(&control);
  put_number(request, number_of_message);
  corrupted += is_wrong(request, reply, length);
}

// One message in and out, one pair after the other; or, in batches, all in and then all out.
static double enqueue_ms, dequeue_ms;
static long pass_queue(int is_measured) {
  long batch = is_pairwise ? 1 : is_measured ? part.most : 100, at = part.begun;
  enqueue_ms = dequeue_ms = 0;
  for (long first = 0; !is_over(at); first = part.sent) {
    long last = part.most && first + batch > part.most ? part.most : first + batch, before = now();
    for (; part.sent < last; part.sent++) enqueue(part.sent);
    long between = now();
    for (long number_of_message = first; number_of_message < last; number_of_message++) dequeue(number_of_message);
    at = now();
    make_room(first);
    samples[first] = at - before;
    enqueue_ms += (between - before) / 1e6, dequeue_ms += (at - between) / 1e6;
  }
  return part.sent;
}

// Returns the number of calls or messages.
static long run_part(const char *json) {
  begin_part(json);
  if (is_queue) return pass_queue(json == options);
  if (is_cached) return exchange_through_cache();
  return is_stream ? send_all() : threads ? exchange_in_threads() : exchange();
}

static void print_samples(long count, int sign) {
  const char *separator = "";
  for (long at = 0; at < count; at++)
    if (samples[at] * sign > 0) printf("%s%ld", separator, samples[at] * sign), separator = ",";
}

static void work(int is_measured) {
  char *one = warm_up, *last = strchr(one, ']');
  long length;
  if (!is_measured) {
    for (discarded = is_cached ? fill_cache() : 0; (one = strchr(one, '{')) && one < last; one++) discarded += run_part(one);
    return (void)printf("{\"event\":\"progress\",\"phase\":\"warm\",\"sent\":%ld}\n", is_stream ? discarded : 0);
  }
  long count = run_part(options);
  // The reply to the closing call means that all messages before it were served: the queue keeps their order.
  if (is_stream && strstr(options, "\"closingCall\":true") && tpcall("ECHO", request, 1, &reply, &length, TPSIGRSTRT))
    fail(tpstrerror(tperrno));
  double elapsed_ms = (now() - part.begun) / 1e6;
  printf("{\"event\":\"progress\",\"phase\":\"measured\",\"sent\":%ld}\n", is_stream ? count : 0);
  printf("{\"event\":\"result\",\"discarded\":%ld,\"durationMs\":%f,", discarded, elapsed_ms);
  if (is_stream) return (void)printf("\"sent\":%ld}\n", count);
  if (is_queue && !is_pairwise)
    return (void)printf("\"phases\":{\"enqueue\":{\"messages\":%ld,\"ms\":%f},\"dequeue\":{\"messages\":%ld,\"ms\":%f}},"
                        "\"received\":%ld,\"verified\":%ld,\"corrupted\":%ld}\n",
                        count, enqueue_ms, count, dequeue_ms, count, count, corrupted);
  printf("\"received\":%ld,\"verified\":%ld,\"corrupted\":%ld,", count, is_cached ? cache_compared : count, corrupted);
  fputs(is_cached ? "\"cache\":{\"hitsNs\":[" : "\"samplesNs\":[", stdout);
  print_samples(count, 1);
  if (is_cached) fputs("],\"missesNs\":[", stdout), print_samples(count, -1);
  puts(is_cached ? "]}}" : "]}");
}

// Passes on what is not for now: a client works in the thread that entered Enduro/X, and a server's serves.
static void *listen_to_battle(void *unused) {
  size_t room = 0;
  (void)unused;
  // The program ends with its input, or by SIGALRM after 5 s without a line: then the battle is gone.
  for (char *line = NULL; alarm(5), getline(&line, &room, stdin) > 0 && !strstr(line, "\"stop\"");) {
    if (is_server && strstr(line, "\"mark\""))
      report();
    else if (is_server && strstr(line, "\"count\""))
      printf("{\"event\":\"progress\",\"phase\":\"count\",\"received\":%ld}\n", __atomic_load_n(&arrived, __ATOMIC_RELAXED));
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
