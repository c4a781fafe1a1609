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
