#pragma once

#include <stdint.h>
#include <string.h>

// The layout of an aes128gcm body with one record (RFC 8188 section 2, RFC 8291 section 4).

enum {
    SALT_LENGTH = 16,
    POINT_LENGTH = 65,
    POINT_OFFSET = 21,
    HEADER_LENGTH = POINT_OFFSET + POINT_LENGTH,
    AUTH_LENGTH = 16,
    SECRET_LENGTH = 32,
    KEY_LENGTH = 16,
    NONCE_LENGTH = 12,
    TAG_LENGTH = 16,
};

#define INPUT_KEY_LABEL "WebPush: info"
#define CONTENT_KEY_LABEL "Content-Encoding: aes128gcm"
#define NONCE_LABEL "Content-Encoding: nonce"

static inline int record_is_whole(const uint8_t *body, size_t length) {
    if (length < HEADER_LENGTH + TAG_LENGTH + 1) return 0;
    uint32_t size = (uint32_t)body[16] << 24 | (uint32_t)body[17] << 16
        | (uint32_t)body[18] << 8 | body[19];
    return body[20] == POINT_LENGTH && body[POINT_OFFSET] == 0x04
        && length - HEADER_LENGTH <= size;
}

/// The length of the text before the delimiter of the last record, or -1.
static inline long record_text_length(const uint8_t *record, long length) {
    while (length > 0 && record[length - 1] == 0) length--;
    return length > 0 && record[length - 1] == 0x02 ? length - 1 : -1;
}
