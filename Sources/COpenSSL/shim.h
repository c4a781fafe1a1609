#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

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

// SHA-256 over a state of our own. EVP allocates a state anew at each start of a hash, ten times
// for one push; so these are used although OpenSSL 3 marks them as deprecated.

static inline int copenssl_sha256_init(SHA256_CTX *state) { return SHA256_Init(state); }

static inline int copenssl_sha256_update(SHA256_CTX *state, const void *bytes, size_t length) {
    return SHA256_Update(state, bytes, length);
}

static inline int copenssl_sha256_final(SHA256_CTX *state, unsigned char *digest) {
    return SHA256_Final(digest, state);
}
