// The peer and the load of `bench-archive.py`.
//
//   bench-archive peer BYTES keep|close
//       libmicrohttpd itself, two threads, answering every request with the same BYTES bytes. Prints its port; ends with
//       its standard input. `close` ends each connection after one answer, as the archive's service does.
//   bench-archive load PORT SECONDS CLIENTS BUCKET < lines
//       CLIENTS connections that ask, each request with a fresh signature of the read key, one after the other. The
//       first line of standard input is the seed of the read key in hex, the others are the targets to ask for in turn.
//       A connection is used again when the server lets it live. Prints the answers a second, the bytes a second, and
//       the median and the 99th percentile of the time of an answer, in microseconds.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// MARK: Peer

struct peer {
    struct MHD_Response *response;
};

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *data, size_t *size, void **memory) {
    (void)url, (void)method, (void)version, (void)data, (void)size, (void)memory;
    return MHD_queue_response(connection, MHD_HTTP_OK, ((struct peer *)context)->response);
}

static int run_peer(size_t byte_count, int keeps) {
    void *bytes = calloc(1, byte_count);
    struct peer peer = {MHD_create_response_from_buffer(byte_count, bytes, MHD_RESPMEM_PERSISTENT)};
    MHD_add_response_header(peer.response, "Content-Type", "application/octet-stream");
    if (!keeps) MHD_add_response_header(peer.response, "Connection", "close");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, answer, &peer, MHD_OPTION_THREAD_POOL_SIZE, 2u,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_END);
    if (daemon == NULL) fail("MHD_start_daemon");
    printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    while (getchar() != EOF) {}
    MHD_stop_daemon(daemon);
    return 0;
}

// MARK: Load

static unsigned char public_key[crypto_sign_PUBLICKEYBYTES], secret_key[crypto_sign_SECRETKEYBYTES];
static char public_text[64];
static const char *bucket;
static char *targets[100000];
static size_t target_count;
static int port;
static struct timespec end;
static atomic_size_t next_target;

struct client {
    pthread_t thread;
    size_t answers, bytes, refused;
    unsigned *times;
    size_t capacity;
};

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int connected(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    return descriptor;
}

static size_t request(char *buffer, size_t size) {
    const char *target = targets[atomic_fetch_add(&next_target, 1) % target_count];
    long now = (long)time(NULL);
    char text[1024], signature_text[128];
    unsigned char signature[crypto_sign_BYTES];
    int count = snprintf(text, sizeof text, "efferent/v1 read\n%s\n%s\n%ld", bucket, target, now);
    crypto_sign_detached(signature, NULL, (unsigned char *)text, (unsigned long long)count, secret_key);
    sodium_bin2base64(
        signature_text, sizeof signature_text, signature, sizeof signature, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return (size_t)snprintf(
        buffer, size,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nx-efferent-timestamp: %ld\r\nx-efferent-reader: %s\r\n"
        "x-efferent-signature: %s\r\n\r\n",
        target, port, now, public_text, signature_text);
}

// Reads one answer; returns whether the connection lives on.
static int take(struct client *client, int descriptor, char *buffer, size_t size) {
    size_t held = 0;
    char *body = NULL;
    while (body == NULL) {
        ssize_t count = recv(descriptor, buffer + held, size - 1 - held, 0);
        if (count <= 0) fail("recv of a head");
        held += (size_t)count;
        buffer[held] = 0;
        body = strstr(buffer, "\r\n\r\n");
    }
    size_t head = (size_t)(body - buffer) + 4, length = 0;
    int lives = 1;
    for (char *line = strstr(buffer, "\r\n"); line != NULL && line < body; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, "content-length:", 15) == 0) length = strtoul(line + 17, NULL, 10);
        if (strncasecmp(line + 2, "connection: close", 17) == 0) lives = 0;
    }
    if (strncmp(buffer + 9, "200", 3) != 0) client->refused++;
    size_t left = head + length - held;
    while (left > 0) {
        ssize_t count = recv(descriptor, buffer, left < size ? left : size, 0);
        if (count <= 0) fail("recv of a body");
        left -= (size_t)count;
    }
    client->bytes += length;
    return lives;
}

static void *run_client(void *context) {
    struct client *client = context;
    static const size_t size = 1 << 20;
    char *buffer = malloc(size), head[2048];
    int descriptor = -1;
    long long until = end.tv_sec * 1000000000LL + end.tv_nsec;
    while (nanoseconds() < until) {
        size_t count = request(head, sizeof head);
        long long begun = nanoseconds();
        if (descriptor < 0) descriptor = connected();
        if (send(descriptor, head, count, MSG_NOSIGNAL) != (ssize_t)count) fail("send");
        if (!take(client, descriptor, buffer, size)) {
            close(descriptor);
            descriptor = -1;
        }
        if (client->answers < client->capacity) {
            client->times[client->answers] = (unsigned)((nanoseconds() - begun) / 1000);
        }
        client->answers++;
    }
    if (descriptor >= 0) close(descriptor);
    free(buffer);
    return NULL;
}

static int ascending(const void *left, const void *right) {
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return a < b ? -1 : a > b;
}

static int run_load(double seconds, int client_count) {
    char line[1024];
    unsigned char seed[crypto_sign_SEEDBYTES];
    if (fgets(line, sizeof line, stdin) == NULL) fail("no seed");
    sodium_hex2bin(seed, sizeof seed, line, 64, NULL, NULL, NULL);
    crypto_sign_seed_keypair(public_key, secret_key, seed);
    sodium_bin2base64(
        public_text, sizeof public_text, public_key, sizeof public_key, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    while (target_count < sizeof targets / sizeof *targets && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        targets[target_count++] = strdup(line);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    long long begun = nanoseconds();
    end.tv_sec += (time_t)seconds;
    struct client *clients = calloc((size_t)client_count, sizeof *clients);
    for (int index = 0; index < client_count; index++) {
        clients[index].capacity = 1 << 20;
        clients[index].times = malloc(clients[index].capacity * sizeof(unsigned));
        pthread_create(&clients[index].thread, NULL, run_client, &clients[index]);
    }
    size_t answers = 0, bytes = 0, refused = 0, kept = 0;
    unsigned *times = malloc((size_t)client_count * (1 << 20) * sizeof *times);
    for (int index = 0; index < client_count; index++) {
        pthread_join(clients[index].thread, NULL);
        answers += clients[index].answers;
        bytes += clients[index].bytes;
        refused += clients[index].refused;
        size_t own = clients[index].answers < clients[index].capacity ? clients[index].answers : clients[index].capacity;
        memcpy(times + kept, clients[index].times, own * sizeof *times);
        kept += own;
    }
    double taken = (double)(nanoseconds() - begun) / 1e9;
    qsort(times, kept, sizeof *times, ascending);
    printf(
        "{\"answers\":%zu,\"refused\":%zu,\"per_second\":%.1f,\"bytes_per_second\":%.0f,\"p50_us\":%u,\"p99_us\":%u}\n",
        answers, refused, (double)answers / taken, (double)bytes / taken, kept ? times[kept / 2] : 0,
        kept ? times[kept * 99 / 100] : 0);
    return refused > 0;
}

int main(int count, char **arguments) {
    if (sodium_init() < 0) fail("sodium_init");
    if (count == 4 && strcmp(arguments[1], "peer") == 0) {
        return run_peer(strtoul(arguments[2], NULL, 10), strcmp(arguments[3], "keep") == 0);
    }
    if (count == 6 && strcmp(arguments[1], "load") == 0) {
        port = atoi(arguments[2]);
        bucket = arguments[5];
        return run_load(atof(arguments[3]), atoi(arguments[4]));
    }
    fprintf(stderr, "usage: bench-archive peer BYTES keep|close | load PORT SECONDS CLIENTS BUCKET\n");
    return 2;
}
