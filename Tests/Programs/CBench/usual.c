#include "CBench.h"
#include "check.h"
#include "record.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>

struct cbench_usual {
    EVP_PKEY *key;
    uint8_t public_key[POINT_LENGTH];
    uint8_t auth[AUTH_LENGTH];
};

/// `scalar` is NULL for a key that has only its public half.
static EVP_PKEY *make_key(const uint8_t *scalar, const uint8_t *public_key) {
    EVP_PKEY *key = NULL;
    BIGNUM *number = scalar ? BN_bin2bn(scalar, SECRET_LENGTH, NULL) : NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    CHECK(builder && context);
    CHECK(OSSL_PARAM_BLD_push_utf8_string(
        builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0));
    CHECK(OSSL_PARAM_BLD_push_octet_string(
        builder, OSSL_PKEY_PARAM_PUB_KEY, public_key, POINT_LENGTH));
    if (number) CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number));
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    CHECK(parameters && EVP_PKEY_fromdata_init(context) == 1);
    int selection = number ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
    if (EVP_PKEY_fromdata(context, &key, selection, parameters) != 1) key = NULL;
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(number);
    return key;
}

cbench_usual *cbench_usual_new(
    const uint8_t scalar[32], const uint8_t public_key[65], const uint8_t auth[16]) {
    cbench_usual *usual = calloc(1, sizeof *usual);
    CHECK(usual);
    CHECK(usual->key = make_key(scalar, public_key));
    memcpy(usual->public_key, public_key, POINT_LENGTH);
    memcpy(usual->auth, auth, AUTH_LENGTH);
    return usual;
}

void cbench_usual_free(cbench_usual *usual) {
    EVP_PKEY_free(usual->key);
    free(usual);
}

static int agree(
    const cbench_usual *usual, const uint8_t *point, uint8_t secret[SECRET_LENGTH]) {
    size_t length = SECRET_LENGTH;
    EVP_PKEY *peer = make_key(NULL, point);
    if (!peer) return 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, usual->key, NULL);
    int is_agreed = context && EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, peer) == 1
        && EVP_PKEY_derive(context, secret, &length) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    return is_agreed;
}

typedef struct {
    const uint8_t *bytes;
    size_t length;
} bytes;

static int hkdf(bytes salt, bytes key, bytes info, uint8_t *result, size_t length) {
    EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithm);
    EVP_KDF_free(algorithm);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt.bytes, salt.length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key.bytes, key.length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info.bytes, info.length),
        OSSL_PARAM_construct_end(),
    };
    int is_derived = context && EVP_KDF_derive(context, result, length, parameters) == 1;
    EVP_KDF_CTX_free(context);
    return is_derived;
}

static int derive(
    const cbench_usual *usual, const uint8_t *body, const uint8_t secret[SECRET_LENGTH],
    uint8_t key[KEY_LENGTH], uint8_t nonce[NONCE_LENGTH]) {
    static const uint8_t key_label[] = CONTENT_KEY_LABEL;
    static const uint8_t nonce_label[] = NONCE_LABEL;
    uint8_t info[sizeof INPUT_KEY_LABEL + 2 * POINT_LENGTH];
    uint8_t input_key[SECRET_LENGTH];
    memcpy(info, INPUT_KEY_LABEL, sizeof INPUT_KEY_LABEL);
    memcpy(info + sizeof INPUT_KEY_LABEL, usual->public_key, POINT_LENGTH);
    memcpy(info + sizeof INPUT_KEY_LABEL + POINT_LENGTH, body + POINT_OFFSET, POINT_LENGTH);
    bytes salt = {body, SALT_LENGTH};
    bytes input = {input_key, sizeof input_key};
    return hkdf(
               (bytes){usual->auth, AUTH_LENGTH}, (bytes){secret, SECRET_LENGTH},
               (bytes){info, sizeof info}, input_key, sizeof input_key)
        && hkdf(salt, input, (bytes){key_label, sizeof key_label}, key, KEY_LENGTH)
        && hkdf(salt, input, (bytes){nonce_label, sizeof nonce_label}, nonce, NONCE_LENGTH);
}

long cbench_usual_decrypt(
    cbench_usual *usual, const uint8_t *body, size_t length, uint8_t *text) {
    uint8_t secret[SECRET_LENGTH];
    uint8_t key[KEY_LENGTH];
    uint8_t nonce[NONCE_LENGTH];
    if (!record_is_whole(body, length)) return -1;
    if (!agree(usual, body + POINT_OFFSET, secret)) return -1;
    if (!derive(usual, body, secret, key, nonce)) return -1;

    const uint8_t *record = body + HEADER_LENGTH;
    int record_length = (int)(length - HEADER_LENGTH - TAG_LENGTH);
    int written = 0;
    int rest = 0;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int is_open = cipher && EVP_DecryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, key, nonce)
        && EVP_DecryptUpdate(cipher, text, &written, record, record_length)
        && EVP_CIPHER_CTX_ctrl(
            cipher, EVP_CTRL_AEAD_SET_TAG, TAG_LENGTH, (void *)(record + record_length))
        && EVP_DecryptFinal_ex(cipher, text + written, &rest);
    EVP_CIPHER_CTX_free(cipher);
    return is_open ? record_text_length(text, written) : -1;
}
