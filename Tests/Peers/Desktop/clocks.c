/* Moves the clocks of the processes that it is preloaded into, and of no others. The file that
   BELLWIRE_CLOCKS names holds by how many seconds: the date, the clock since the start of the machine
   with its sleep, and the one without. A machine that sleeps moves the first two. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offsets;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("BELLWIRE_CLOCKS");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, 3 * sizeof *offsets, PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) offsets = memory;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real) begin();
    int result = real(clock, time);
    if (result == 0 && offsets) {
        if (clock == CLOCK_REALTIME) time->tv_sec += offsets[0];
        if (clock == CLOCK_BOOTTIME) time->tv_sec += offsets[1];
        if (clock == CLOCK_MONOTONIC) time->tv_sec += offsets[2];
    }
    return result;
}
