#include "CBench.h"
#include "check.h"

#include <openssl/ec.h>
#include <openssl/obj_mac.h>

/// Double and add: an addition only for a bit that is set.
void cbench_leaky_multiply(const uint8_t scalar[32], const uint8_t public_key[65]) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    CHECK(group);
    EC_POINT *point = EC_POINT_new(group);
    EC_POINT *product = EC_POINT_new(group);
    BN_CTX *scratch = BN_CTX_new();
    CHECK(point && product && scratch);
    CHECK(EC_POINT_oct2point(group, point, public_key, 65, scratch) == 1);
    CHECK(EC_POINT_set_to_infinity(group, product) == 1);
    for (int bit = 255; bit >= 0; bit--) {
        CHECK(EC_POINT_dbl(group, product, product, scratch) == 1);
        if (scalar[31 - bit / 8] >> (bit % 8) & 1) {
            CHECK(EC_POINT_add(group, product, product, point, scratch) == 1);
        }
    }
    BN_CTX_free(scratch);
    EC_POINT_free(product);
    EC_POINT_free(point);
    EC_GROUP_free(group);
}
