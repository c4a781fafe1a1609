#define OPENSSL_SUPPRESS_DEPRECATED
#include "CBench.h"
#include "check.h"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <string.h>

struct cbench_es256 {
    EVP_PKEY *key;
    EVP_PKEY_CTX *context;
};

cbench_es256 *cbench_es256_new(const uint8_t public_key[65]) {
    cbench_es256 *es256 = calloc(1, sizeof *es256);
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    CHECK(es256 && key && EC_KEY_oct2key(key, public_key, 65, NULL) == 1);
    CHECK(es256->key = EVP_PKEY_new());
    CHECK(EVP_PKEY_assign_EC_KEY(es256->key, key) == 1);
    CHECK(es256->context = EVP_PKEY_CTX_new_from_pkey(NULL, es256->key, NULL));
    CHECK(EVP_PKEY_verify_init(es256->context) == 1);
    return es256;
}

void cbench_es256_free(cbench_es256 *es256) {
    EVP_PKEY_CTX_free(es256->context);
    EVP_PKEY_free(es256->key);
    free(es256);
}

/// Writes a DER integer: the shortest form that is not negative.
static uint8_t *put_integer(uint8_t *end, const uint8_t number[32]) {
    size_t start = 0;
    while (start < 31 && number[start] == 0) start++;
    size_t zero = number[start] >> 7;
    size_t length = 32 - start;
    *end++ = 0x02;
    *end++ = (uint8_t)(length + zero);
    if (zero) *end++ = 0;
    memcpy(end, number + start, length);
    return end + length;
}

int cbench_es256_verify(
    cbench_es256 *es256, const uint8_t *input, size_t length, const uint8_t signature[64]) {
    uint8_t digest[SHA256_DIGEST_LENGTH];
    uint8_t der[72];
    SHA256(input, length, digest);
    uint8_t *end = put_integer(put_integer(der + 2, signature), signature + 32);
    der[0] = 0x30;
    der[1] = (uint8_t)(end - der - 2);
    return EVP_PKEY_verify(
               es256->context, der, (size_t)(end - der), digest, sizeof digest) == 1;
}
