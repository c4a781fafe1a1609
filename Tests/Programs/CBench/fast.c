#define OPENSSL_SUPPRESS_DEPRECATED
#include "CBench.h"
#include "check.h"
#include "record.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>

// Measured against each other here: EC_POINT_mul with get_affine beats ECDH_compute_key by one
// part in a hundred, and SHA256_* beats a prefetched EVP_MD by a third of a microsecond.

struct cbench_fast {
    EC_GROUP *group;
    EC_POINT *peer;
    EC_POINT *product;
    BIGNUM *scalar;
    BIGNUM *x;
    BN_CTX *scratch;
    EVP_CIPHER *algorithm;
    EVP_CIPHER_CTX *cipher;
    uint8_t public_key[POINT_LENGTH];
    uint8_t auth[AUTH_LENGTH];
};

cbench_fast *cbench_fast_new(
    const uint8_t scalar[32], const uint8_t public_key[65], const uint8_t auth[16]) {
    cbench_fast *fast = calloc(1, sizeof *fast);
    CHECK(fast);
    CHECK(fast->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
    CHECK(fast->peer = EC_POINT_new(fast->group));
    CHECK(fast->product = EC_POINT_new(fast->group));
    CHECK(fast->scalar = BN_bin2bn(scalar, SECRET_LENGTH, NULL));
    BN_set_flags(fast->scalar, BN_FLG_CONSTTIME);
    CHECK(fast->x = BN_new());
    CHECK(fast->scratch = BN_CTX_new());
    CHECK(fast->algorithm = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL));
    CHECK(fast->cipher = EVP_CIPHER_CTX_new());
    CHECK(EVP_DecryptInit_ex2(fast->cipher, fast->algorithm, NULL, NULL, NULL) == 1);
    memcpy(fast->public_key, public_key, POINT_LENGTH);
    memcpy(fast->auth, auth, AUTH_LENGTH);
    return fast;
}

void cbench_fast_free(cbench_fast *fast) {
    EVP_CIPHER_CTX_free(fast->cipher);
    EVP_CIPHER_free(fast->algorithm);
    BN_CTX_free(fast->scratch);
    BN_free(fast->x);
    BN_clear_free(fast->scalar);
    EC_POINT_clear_free(fast->product);
    EC_POINT_free(fast->peer);
    EC_GROUP_free(fast->group);
    free(fast);
}

static void hmac(
    const uint8_t *key, size_t key_length, const uint8_t *message, size_t length,
    uint8_t result[SHA256_DIGEST_LENGTH]) {
    uint8_t block[SHA256_CBLOCK];
    SHA256_CTX hash;
    memset(block, 0x36, sizeof block);
    for (size_t i = 0; i < key_length; i++) block[i] ^= key[i];
    SHA256_Init(&hash);
    SHA256_Update(&hash, block, sizeof block);
    SHA256_Update(&hash, message, length);
    SHA256_Final(result, &hash);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5C;
    SHA256_Init(&hash);
    SHA256_Update(&hash, block, sizeof block);
    SHA256_Update(&hash, result, SHA256_DIGEST_LENGTH);
    SHA256_Final(result, &hash);
}

static int agree(cbench_fast *fast, const uint8_t *point, uint8_t secret[SECRET_LENGTH]) {
    return EC_POINT_oct2point(fast->group, fast->peer, point, POINT_LENGTH, fast->scratch)
        && EC_POINT_mul(
            fast->group, fast->product, NULL, fast->peer, fast->scalar, fast->scratch)
        && EC_POINT_get_affine_coordinates(
            fast->group, fast->product, fast->x, NULL, fast->scratch)
        && BN_bn2binpad(fast->x, secret, SECRET_LENGTH) == SECRET_LENGTH;
}

/// RFC 8291 section 3.4; each label goes with its zero byte and the block number 1 of HKDF.
static void derive(
    const cbench_fast *fast, const uint8_t *body, const uint8_t secret[SECRET_LENGTH],
    uint8_t key[SHA256_DIGEST_LENGTH], uint8_t nonce[SHA256_DIGEST_LENGTH]) {
    uint8_t info[sizeof INPUT_KEY_LABEL + 2 * POINT_LENGTH + 1];
    uint8_t extracted[SHA256_DIGEST_LENGTH];
    uint8_t input_key[SHA256_DIGEST_LENGTH];
    uint8_t *end = info;
    memcpy(end, INPUT_KEY_LABEL, sizeof INPUT_KEY_LABEL);
    end += sizeof INPUT_KEY_LABEL;
    memcpy(end, fast->public_key, POINT_LENGTH);
    end += POINT_LENGTH;
    memcpy(end, body + POINT_OFFSET, POINT_LENGTH);
    end[POINT_LENGTH] = 1;

    hmac(fast->auth, AUTH_LENGTH, secret, SECRET_LENGTH, extracted);
    hmac(extracted, sizeof extracted, info, sizeof info, input_key);
    hmac(body, SALT_LENGTH, input_key, sizeof input_key, extracted);
    static const uint8_t key_info[] = CONTENT_KEY_LABEL "\0\x01";
    static const uint8_t nonce_info[] = NONCE_LABEL "\0\x01";
    hmac(extracted, sizeof extracted, key_info, sizeof key_info - 1, key);
    hmac(extracted, sizeof extracted, nonce_info, sizeof nonce_info - 1, nonce);
}

long cbench_fast_decrypt(
    cbench_fast *fast, const uint8_t *body, size_t length, uint8_t *text) {
    uint8_t secret[SECRET_LENGTH];
    uint8_t key[SHA256_DIGEST_LENGTH];
    uint8_t nonce[SHA256_DIGEST_LENGTH];
    if (!record_is_whole(body, length)) return -1;
    if (!agree(fast, body + POINT_OFFSET, secret)) return -1;
    derive(fast, body, secret, key, nonce);

    const uint8_t *record = body + HEADER_LENGTH;
    int record_length = (int)(length - HEADER_LENGTH - TAG_LENGTH);
    int written = 0;
    int rest = 0;
    int is_open = EVP_DecryptInit_ex2(fast->cipher, NULL, key, nonce, NULL)
        && EVP_DecryptUpdate(fast->cipher, text, &written, record, record_length)
        && EVP_CIPHER_CTX_ctrl(
            fast->cipher, EVP_CTRL_AEAD_SET_TAG, TAG_LENGTH, (void *)(record + record_length))
        && EVP_DecryptFinal_ex(fast->cipher, text + written, &rest);
    return is_open ? record_text_length(text, written) : -1;
}
