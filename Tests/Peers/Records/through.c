// Joins its standard streams with a server, through wolfSSL.
//
// usage: through PORT SUITE GROUP again|once
//
// The end of the input is a close_notify. Keys are updated after each 100,000 bytes of either way; wolfSSL asks for the
// server's too.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

enum { VOLUME = 100000, PIECE = 16384 };

static void end(const char *call) {
    fprintf(stderr, "%s failed\n", call);
    exit(1);
}

static void wait_for(int descriptor, short event) {
    struct pollfd one = {descriptor, event, 0};
    poll(&one, 1, -1);
}

// Whether the call has to be made again; it has failed otherwise.
static int waits(WOLFSSL *tls, int result, const char *call) {
    int error = wolfSSL_get_error(tls, result);
    if (error != WOLFSSL_ERROR_WANT_READ && error != WOLFSSL_ERROR_WANT_WRITE) {
        fprintf(stderr, "%d ", error);
        end(call);
    }
    wait_for(wolfSSL_get_fd(tls), error == WOLFSSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
    return 1;
}

static WOLFSSL *open_connection(WOLFSSL_CTX *context, const char *port, int group, WOLFSSL_SESSION *session) {
    struct sockaddr_in address = {AF_INET, htons((unsigned short)atoi(port)), {htonl(INADDR_LOOPBACK)}, {0}};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0), result;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) end("connect");
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    WOLFSSL *tls = wolfSSL_new(context);
    wolfSSL_set_fd(tls, descriptor);
    if (wolfSSL_UseKeyShare(tls, (word16)group) != WOLFSSL_SUCCESS) end("UseKeyShare");
    if (session && wolfSSL_set_session(tls, session) != WOLFSSL_SUCCESS) end("set_session");
    while ((result = wolfSSL_connect(tls)) != WOLFSSL_SUCCESS) waits(tls, result, "connect");
    return tls;
}

static void send_all(WOLFSSL *tls, const char *data, int count) {
    int result;
    while ((result = wolfSSL_write(tls, data, count)) <= 0) waits(tls, result, "write");
}

static WOLFSSL_SESSION *leave_session(WOLFSSL_CTX *context, const char *port, int group) {
    static const char request[] = "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    WOLFSSL *tls = open_connection(context, port, group, NULL);
    char piece[1000];
    int result;
    send_all(tls, request, sizeof request - 1);
    while ((result = wolfSSL_read(tls, piece, sizeof piece)) <= 0) waits(tls, result, "read");
    WOLFSSL_SESSION *session = wolfSSL_get1_session(tls);
    wolfSSL_shutdown(tls);
    close(wolfSSL_get_fd(tls));
    wolfSSL_free(tls);
    return session;
}

static void advance(WOLFSSL *tls, long *passed, int count) {
    // After its close_notify an end can send no KeyUpdate.
    if (!(wolfSSL_get_shutdown(tls) & WOLFSSL_SENT_SHUTDOWN) && *passed / VOLUME != (*passed + count) / VOLUME) {
        int result = wolfSSL_update_keys(tls);
        // What the socket did not take goes out with the next data.
        if (result != WOLFSSL_SUCCESS && result != WOLFSSL_ERROR_WANT_WRITE) end("update_keys");
    }
    *passed += count;
}

static void put(const char *data, int count) {
    for (ssize_t written; count > 0; data += written, count -= (int)written)
        if ((written = write(1, data, (size_t)count)) < 0) end("write");
}

// Everything that has come. Whether it was the end.
static int take(WOLFSSL *tls, long *taken) {
    static char data[PIECE];
    int count;
    while ((count = wolfSSL_read(tls, data, PIECE)) > 0) {
        put(data, count);
        advance(tls, taken, count);
    }
    int error = wolfSSL_get_error(tls, count);
    if (error == WOLFSSL_ERROR_ZERO_RETURN) return 1;
    if (error != WOLFSSL_ERROR_WANT_READ) {
        fprintf(stderr, "%d ", error);
        end("read");
    }
    return 0;
}

static void join(WOLFSSL *tls) {
    static char data[PIECE];
    struct pollfd both[] = {{wolfSSL_get_fd(tls), POLLIN, 0}, {0, POLLIN, 0}};
    long sent = 0, taken = 0;
    while (!take(tls, &taken)) {
        poll(both, 2, -1);
        if (!both[1].revents) continue;
        int count = (int)read(0, data, PIECE);
        if (count > 0) {
            send_all(tls, data, count);
            advance(tls, &sent, count);
        } else {
            // Its close_notify; the other one is read later.
            wolfSSL_shutdown(tls);
            both[1].fd = -1;
        }
    }
}

int main(int count, char **words) {
    if (count != 5) end("usage");
    wolfSSL_Init();
    WOLFSSL_CTX *context = wolfSSL_CTX_new(wolfTLSv1_3_client_method());
    wolfSSL_CTX_set_verify(context, WOLFSSL_VERIFY_NONE, NULL);
    if (wolfSSL_CTX_set_cipher_list(context, words[2]) != WOLFSSL_SUCCESS) end("cipher_list");
    int group = atoi(words[3]);
    WOLFSSL_SESSION *session = strcmp(words[4], "again") ? NULL : leave_session(context, words[1], group);
    WOLFSSL *tls = open_connection(context, words[1], group, session);
    fprintf(stderr, "%s %s\n", wolfSSL_get_cipher_name(tls), wolfSSL_session_reused(tls) ? "resumed" : "new");
    join(tls);
    return 0;
}
