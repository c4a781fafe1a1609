#pragma once

#include <stddef.h>
#include <stdint.h>

// Yardsticks in C over libcrypto, and payloads that only the benchmarks make. A program for one
// thread on one machine: a failed setup ends the process.

/// Decrypts RFC 8291 aes128gcm for one receiver by the shortest sequence of calls that still
/// checks the sender's point, the record and the tag. Keeps all that can be kept.
typedef struct cbench_fast cbench_fast;

cbench_fast *cbench_fast_new(
    const uint8_t scalar[32], const uint8_t public_key[65], const uint8_t auth[16]);
void cbench_fast_free(cbench_fast *fast);

/// The length of the text written to `text`, which is as long as `body`; -1 if it is refused.
long cbench_fast_decrypt(
    cbench_fast *fast, const uint8_t *body, size_t length, uint8_t *text);

/// The same by the calls that the manual pages lead to, everything made anew for each message.
typedef struct cbench_usual cbench_usual;

cbench_usual *cbench_usual_new(
    const uint8_t scalar[32], const uint8_t public_key[65], const uint8_t auth[16]);
void cbench_usual_free(cbench_usual *usual);
long cbench_usual_decrypt(
    cbench_usual *usual, const uint8_t *body, size_t length, uint8_t *text);

/// Verifies ES256 under one key that is kept.
typedef struct cbench_es256 cbench_es256;

cbench_es256 *cbench_es256_new(const uint8_t public_key[65]);
void cbench_es256_free(cbench_es256 *es256);

/// 1 if `signature`, r and s in 32 bytes each, belongs to `input`.
int cbench_es256_verify(
    cbench_es256 *es256, const uint8_t *input, size_t length, const uint8_t signature[64]);

/// Encrypts `text` as MTProto 2.0 does from server to client: key id, msg_key and AES-256-IGE.
/// `payload` takes 24 bytes and then `length` + 4 + `padding`, which must be a multiple of 16.
void cbench_mtproto_seal(
    const uint8_t secret[256], const uint8_t *text, size_t length, size_t padding,
    uint8_t *payload);

/// A scalar multiplication whose time tells the scalar, for a test that must notice it.
void cbench_leaky_multiply(const uint8_t scalar[32], const uint8_t public_key[65]);

/// Commits rows to a new database for a while, durably and in batches, in a table with one index.
/// Returns the microseconds of CPU time for each.
double cbench_rows(const char *path, size_t length, int batch, double seconds);
