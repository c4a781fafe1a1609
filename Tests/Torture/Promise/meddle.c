// Loaded into the server that is tortured: the time of day and the disk are as a file says, which the
// test changes while the server runs. Clocks that nobody can set stay true, unless the machine is said
// to have slept: that moves all of them but the monotonic clock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { NOTHING, READ_ONLY, BROKEN, FULL };

struct control { volatile int64_t offset, fault, slept; };

static struct control none;
static struct control *control = &none;
static const char *folder = "";

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("MEDDLE");
    if (getenv("MEDDLE_FOLDER")) folder = strdup(getenv("MEDDLE_FOLDER"));
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) control = page;
    close(file);
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = next("clock_gettime");
    int result = real(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        time->tv_sec += (control->offset + control->slept) / 1000000000;
    } else if (result == 0 && clock == CLOCK_BOOTTIME) {
        time->tv_sec += control->slept / 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}

// Zero, or why a file in the folder cannot be written now.
static int refusal(int file, int syncing) {
    int64_t fault = control->fault;
    if (fault == NOTHING || (syncing != (fault == BROKEN))) return 0;
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0 || strncmp(target, folder, strlen(folder)) != 0) return 0;
    return fault == READ_ONLY ? EROFS : fault == FULL ? ENOSPC : EIO;
}

#define GUARD(file, syncing) do { \
        int error = refusal(file, syncing); \
        if (error) { errno = error; return -1; } \
    } while (0)

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = next("pwrite");
    GUARD(file, 0);
    return real(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = next("pwrite64");
    GUARD(file, 0);
    return real(file, bytes, count, at);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = next("fdatasync");
    GUARD(file, 1);
    return real(file);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = next("fsync");
    GUARD(file, 1);
    return real(file);
}
