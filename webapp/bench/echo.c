// WebSocket load and an echo for it, in so little processor time that what is between them is what is measured.
//   echo server PORT
//   echo load PORT CONNECTIONS BYTES WARM_SECONDS SECONDS [HEADER...]   one message in flight per connection; HEADER has Host
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 70000
#define EVENTS 256
#define MICROSECONDS 2000000

struct peer {
  int fd, heard, open;
  long long sent;
  char bytes[MOST];
};

static int turn;
static unsigned counts[MICROSECONDS];

static long long nanos(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void watch(struct peer *peer, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
  if (epoll_ctl(turn, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
}

static struct sockaddr_in at(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void soon(int fd) {
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void put(int fd, const char *bytes, int count) {
  if (write(fd, bytes, count) != count) fail("write");
}

static int frame(char *to, const char *text, int count, int masked) {
  int k = 0;
  to[k++] = (char)0x82;
  unsigned char mask = masked ? 0x80 : 0;
  if (count < 126) {
    to[k++] = mask | count;
  } else {
    to[k++] = mask | 126;
    to[k++] = count >> 8;
    to[k++] = count;
  }
  if (masked) {
    memset(to + k, 0, 4);
    k += 4;
  }
  memcpy(to + k, text, count);
  return k + count;
}

/** How long the first frame is with its head; 0: it is not known yet. */
static int whole(const struct peer *peer, int *head, int *count) {
  const unsigned char *h = (const unsigned char *)peer->bytes;
  if (peer->heard < 2) return 0;
  *count = h[1] & 127;
  *head = 2 + (*count == 126 ? 2 : 0) + (h[1] & 128 ? 4 : 0);
  if (peer->heard < *head) return 0;
  if (*count == 126) *count = h[2] << 8 | h[3];
  return *head + *count;
}

static void forget(struct peer *peer, int count) {
  memmove(peer->bytes, peer->bytes + count, peer->heard - count);
  peer->heard -= count;
}

static void greet(struct peer *peer) {
  char *end = memmem(peer->bytes, peer->heard, "\r\n\r\n", 4);
  if (!end) return;
  int upgrade = memmem(peer->bytes, peer->heard, "ebsocket", 8) != NULL;
  const char *answer = upgrade ? "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
                               : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  put(peer->fd, answer, strlen(answer));
  peer->open = upgrade;
  forget(peer, end + 4 - peer->bytes);
}

static void echo(struct peer *peer) {
  static char out[MOST];
  int head, count, all;
  while ((all = whole(peer, &head, &count)) > 0 && peer->heard >= all) {
    put(peer->fd, out, frame(out, peer->bytes + head, count, 0));
    forget(peer, all);
  }
}

static void server(int port) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  struct sockaddr_in address = at(port);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 4096)) fail("listen");
  watch(NULL, listener);
  for (struct epoll_event events[EVENTS];;) {
    int ready = epoll_wait(turn, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      struct peer *peer = events[i].data.ptr;
      if (!peer) {
        peer = calloc(1, sizeof *peer);
        peer->fd = accept(listener, NULL, NULL);
        soon(peer->fd);
        watch(peer, peer->fd);
        continue;
      }
      int count = read(peer->fd, peer->bytes + peer->heard, MOST - peer->heard);
      if (count <= 0) {
        close(peer->fd);
        free(peer);
        continue;
      }
      peer->heard += count;
      if (peer->open) echo(peer);
      else greet(peer);
    }
  }
}

static void shake(int fd, int port, char **headers) {
  char text[4096];
  int count = snprintf(text, sizeof text,
                       "GET /x HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n");
  if (!*headers) count += snprintf(text + count, sizeof text - count, "Host: 127.0.0.1:%d\r\n", port);
  for (; *headers; headers++) count += snprintf(text + count, sizeof text - count, "%s\r\n", *headers);
  put(fd, text, count + snprintf(text + count, sizeof text - count, "\r\n"));
  for (count = 0; count < 4 || memcmp(text + count - 4, "\r\n\r\n", 4); count++)
    if (count == sizeof text || read(fd, text + count, 1) != 1) fail("handshake");
  if (memcmp(text, "HTTP/1.1 101", 12)) {
    fprintf(stderr, "%.*s", count, text);
    exit(1);
  }
}

static double percentile(long long messages, double share) {
  long long so = 0;
  for (int i = 0; i < MICROSECONDS; i++)
    if ((so += counts[i]) > messages * share) return i / 1000.0;
  return MICROSECONDS / 1000.0;
}

static void load(int port, int connections, int bytes, int warm, int seconds, char **headers) {
  struct sockaddr_in address = at(port);
  char *text = memset(malloc(bytes), 'a', bytes), *message = malloc(bytes + 16);
  int length = frame(message, text, bytes, 1), answer = bytes + (bytes < 126 ? 2 : 4);
  struct peer *peers = calloc(connections, sizeof *peers);
  for (int i = 0; i < connections; i++) {
    peers[i].fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(peers[i].fd, (void *)&address, sizeof address)) fail("connect");
    soon(peers[i].fd);
    shake(peers[i].fd, port, headers);
    watch(&peers[i], peers[i].fd);
  }
  for (int i = 0; i < connections; i++) {
    peers[i].sent = nanos(CLOCK_MONOTONIC);
    put(peers[i].fd, message, length);
  }
  long long messages = 0, begun = nanos(CLOCK_MONOTONIC) + warm * 1000000000LL, processor = 0, now;
  for (struct epoll_event events[EVENTS]; (now = nanos(CLOCK_MONOTONIC)) < begun + seconds * 1000000000LL;) {
    if (now >= begun && !processor) {
      processor = nanos(CLOCK_THREAD_CPUTIME_ID);
      puts("begun");
      fflush(stdout);
    }
    int ready = epoll_wait(turn, events, EVENTS, 20);
    for (int i = 0; i < ready; i++) {
      struct peer *peer = events[i].data.ptr;
      int count = read(peer->fd, peer->bytes, MOST);
      if (count <= 0) fail("closed");
      if ((peer->heard += count) < answer) continue;
      peer->heard -= answer;
      now = nanos(CLOCK_MONOTONIC);
      if (processor) {
        long long waited = (now - peer->sent) / 1000;
        counts[waited < MICROSECONDS ? waited : MICROSECONDS - 1]++;
        messages++;
      }
      peer->sent = now;
      put(peer->fd, message, length);
    }
  }
  double took = (nanos(CLOCK_MONOTONIC) - begun) / 1e9;
  printf("{\"rate\":%.0f,\"p50\":%.3f,\"p99\":%.3f,\"messages\":%lld,\"client\":%.2f}\n", messages / took,
         percentile(messages, 0.5), percentile(messages, 0.99), messages,
         (nanos(CLOCK_THREAD_CPUTIME_ID) - processor) / 1e9 / took);
}

int main(int count, char **words) {
  turn = epoll_create1(0);
  if (count == 3 && !strcmp(words[1], "server")) server(atoi(words[2]));
  else if (count >= 7 && !strcmp(words[1], "load"))
    load(atoi(words[2]), atoi(words[3]), atoi(words[4]), atoi(words[5]), atoi(words[6]), words + 7);
  else return 2;
  return 0;
}
