#include <openssl/crypto.h>
#include <stdlib.h>

/* OpenSSL keeps some state for each thread. At the end of the process it gives up the key to it, and what threads have that
 * end later is then found as a leak. So it stays until the end here, except where a test brings its own memory for it:
 * these run in a process of their own. */
__attribute__((constructor)) static void keep_openssl(void) {
    if (!getenv("SWT_EXIT_TEST_ID")) OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
