#define OPENSSL_SUPPRESS_DEPRECATED
#include "CBench.h"
#include "check.h"

#include <openssl/aes.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <string.h>

enum { KEY_ID_LENGTH = 8, MESSAGE_KEY_LENGTH = 16, LENGTH_BYTES = 4 };

static void hash_both(
    const uint8_t *first, size_t first_length, const uint8_t *second, size_t second_length,
    uint8_t digest[SHA256_DIGEST_LENGTH]) {
    SHA256_CTX hash;
    SHA256_Init(&hash);
    SHA256_Update(&hash, first, first_length);
    SHA256_Update(&hash, second, second_length);
    SHA256_Final(digest, &hash);
}

/// MTProto 2.0, "Defining AES Key and Initialization Vector", with x = 8.
static void derive(
    const uint8_t secret[256], const uint8_t *message_key, uint8_t key[32], uint8_t vector[32]) {
    uint8_t a[SHA256_DIGEST_LENGTH];
    uint8_t b[SHA256_DIGEST_LENGTH];
    hash_both(message_key, MESSAGE_KEY_LENGTH, secret + 8, 36, a);
    hash_both(secret + 48, 36, message_key, MESSAGE_KEY_LENGTH, b);
    memcpy(key, a, 32);
    memcpy(key + 8, b + 8, 16);
    memcpy(vector, b, 32);
    memcpy(vector + 8, a + 8, 16);
}

void cbench_mtproto_seal(
    const uint8_t secret[256], const uint8_t *text, size_t length, size_t padding,
    uint8_t *payload) {
    uint8_t *message_key = payload + KEY_ID_LENGTH;
    uint8_t *plain = message_key + MESSAGE_KEY_LENGTH;
    size_t plain_length = LENGTH_BYTES + length + padding;
    CHECK(plain_length % AES_BLOCK_SIZE == 0);
    for (int i = 0; i < LENGTH_BYTES; i++) plain[i] = (uint8_t)(length >> (8 * i));
    memcpy(plain + LENGTH_BYTES, text, length);
    CHECK(RAND_bytes(plain + LENGTH_BYTES + length, (int)padding) == 1);

    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA1(secret, 256, digest);
    memcpy(payload, digest + SHA_DIGEST_LENGTH - KEY_ID_LENGTH, KEY_ID_LENGTH);
    hash_both(secret + 96, 32, plain, plain_length, digest);
    memcpy(message_key, digest + 8, MESSAGE_KEY_LENGTH);

    uint8_t key[32];
    uint8_t vector[32];
    AES_KEY schedule;
    derive(secret, message_key, key, vector);
    CHECK(AES_set_encrypt_key(key, 256, &schedule) == 0);
    AES_ige_encrypt(plain, plain, plain_length, &schedule, vector, AES_ENCRYPT);
}
