#pragma once

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

// Macros that Swift cannot import.

static const int copenssl_public_key = EVP_PKEY_PUBLIC_KEY;
static const int copenssl_key_pair = EVP_PKEY_KEYPAIR;

// A parameter keeps the pointer to its name, and Swift would pass a temporary one.

static inline OSSL_PARAM copenssl_group(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, 0);
}

static inline OSSL_PARAM copenssl_public_point(void *bytes, size_t count) {
    return OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, bytes, count);
}

static inline OSSL_PARAM copenssl_private_scalar(unsigned char *bytes, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, bytes, count);
}

static inline EVP_PKEY *copenssl_generate_p256(void) { return EVP_EC_gen("P-256"); }

// A list of parameters keeps pointers, too.

static inline int copenssl_get_tag(EVP_CIPHER_CTX *context, unsigned char *tag) {
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, 16),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_get_params(context, list);
}

static inline int copenssl_set_tag(EVP_CIPHER_CTX *context, unsigned char *tag) {
    const OSSL_PARAM list[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, 16),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_set_params(context, list);
}

// SHA-256 over a state of our own. EVP allocates a state at each start of a hash, ten times for one
// push; so these are used although OpenSSL 3 deprecates them.

static inline int copenssl_sha256_init(SHA256_CTX *state) { return SHA256_Init(state); }

static inline int copenssl_sha256_update(SHA256_CTX *state, const void *bytes, size_t length) {
    return SHA256_Update(state, bytes, length);
}

static inline int copenssl_sha256_final(SHA256_CTX *state, unsigned char *digest) {
    return SHA256_Final(digest, state);
}

// TLS.

static const uint64_t copenssl_context_options =
    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
    SSL_OP_PRIORITIZE_CHACHA;

static const uint64_t copenssl_kernel_tls = SSL_OP_ENABLE_KTLS;

static inline int copenssl_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline void copenssl_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline int copenssl_set_groups(SSL_CTX *context, const char *names) {
    return (int)SSL_CTX_set1_groups_list(context, names);
}

static inline void copenssl_set_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }

static inline void copenssl_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void copenssl_set_server_name_callback(
    SSL_CTX *context, int (*choose)(SSL *, int *, void *), void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, choose);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int copenssl_ask_for_server_name(SSL *stream, const char *name) {
    return (int)SSL_set_tlsext_host_name(stream, name);
}

// How a stream moves its bytes. OpenSSL itself uses `read` and `write`, which are slower on a socket
// than `recv` and `send`, and which can end the process by SIGPIPE.

/// The socket of a stream, and the count of recent records without data.
struct copenssl_link {
    int descriptor;
    /// How many bytes may still be read from the socket in this call.
    uint32_t room;
    uint32_t idle_records;
    uint32_t handshake_records;
    /// The kind of the flood, or 0. Nothing is read after a flood.
    int32_t flood;
    int64_t window_start;
    /// What a handshake leaves to records of our own; NULL if OpenSSL keeps the connection.
    void *taken;
};

static inline struct copenssl_link *copenssl_link_of(BIO *socket) {
    return (struct copenssl_link *)BIO_get_data(socket);
}

static inline int copenssl_send(BIO *socket, const char *bytes, size_t count, size_t *sent) {
    ssize_t result = send(copenssl_link_of(socket)->descriptor, bytes, count, MSG_NOSIGNAL);
    BIO_clear_retry_flags(socket);
    if (result < 0 && BIO_sock_should_retry(-1)) BIO_set_retry_write(socket);
    *sent = result < 0 ? 0 : (size_t)result;
    return result > 0;
}

static inline int copenssl_receive(BIO *socket, char *bytes, size_t count, size_t *received) {
    struct copenssl_link *link = copenssl_link_of(socket);
    BIO_clear_retry_flags(socket);
    *received = 0;
    if (link->flood != 0) return 0;
    if (link->room == 0) {
        BIO_set_retry_read(socket);
        return 0;
    }
    ssize_t result = recv(link->descriptor, bytes, count < link->room ? count : link->room, 0);
    if (result < 0 && BIO_sock_should_retry(-1)) BIO_set_retry_read(socket);
    if (result == 0) BIO_set_flags(socket, BIO_FLAGS_IN_EOF);
    if (result <= 0) return 0;
    link->room -= (uint32_t)result;
    *received = (size_t)result;
    return 1;
}

static inline long copenssl_control(BIO *socket, int command, long number, void *argument) {
    (void)number, (void)argument;
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(socket, BIO_FLAGS_IN_EOF) != 0;
    default: return 0;
    }
}

static inline BIO_METHOD *copenssl_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (method == NULL) return NULL;
    BIO_meth_set_write_ex(method, copenssl_send);
    BIO_meth_set_read_ex(method, copenssl_receive);
    BIO_meth_set_ctrl(method, copenssl_control);
    return method;
}

// The caller owns the socket and the link.
static inline BIO *copenssl_socket(const BIO_METHOD *method, struct copenssl_link *link) {
    BIO *socket = BIO_new(method);
    if (socket == NULL) return NULL;
    BIO_set_data(socket, link);
    BIO_set_init(socket, 1);
    return socket;
}

static inline size_t copenssl_memory(BIO *memory, char **bytes) {
    return (size_t)BIO_get_mem_data(memory, bytes);
}

static inline ssize_t copenssl_send_bytes(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

// Valid right after a failed call.
static inline int copenssl_errno(void) { return errno; }
