// Loaded into the server that is tortured: the time of day and the disk are as a file says, which the
// test changes while the server runs. Clocks that nobody can set stay true, unless the machine is said
// to have slept: that moves all of them but the monotonic clock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { NOTHING, READ_ONLY, BROKEN, FULL, BROKEN_ONCE, UNREADABLE, NO_NAMES, SHORT, NO_MEMORY };
enum deed { WRITING, SYNCING, READING, NAMING };

struct control { volatile int64_t offset; int64_t fault; volatile int64_t slept; };

static struct control none;
static struct control *control = &none;
static const char *folder = "";

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("MEDDLE");
    if (getenv("MEDDLE_FOLDER")) folder = strdup(getenv("MEDDLE_FOLDER"));
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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

// Who waits until a time of day means the one that they were told. A time since the start of the machine is
// smaller.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!real) real = next("pthread_cond_timedwait");
    struct timespec there = *until;
    if (there.tv_sec > 1000000000) there.tv_sec -= (control->offset + control->slept) / 1000000000;
    return real(condition, mutex, &there);
}

// Zero, or why the fault refuses that.
static int error_of(int64_t fault, enum deed deed) {
    switch (fault) {
    case READ_ONLY: return deed == WRITING ? EROFS : 0;
    case FULL: return deed == WRITING ? ENOSPC : 0;
    case BROKEN: case BROKEN_ONCE: return deed == SYNCING ? EIO : 0;
    case UNREADABLE: return deed == READING ? EIO : 0;
    case NO_NAMES: return deed == NAMING ? ENOSPC : 0;
    default: return 0;
    }
}

static int is_in_folder(int file) {
    char link[64], target[PATH_MAX];
    if (file <= STDERR_FILENO) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, target, sizeof target - 1);
    return length > 0 && strncmp(target, folder, strlen(folder)) == 0;
}

// Zero, or why a file in the folder cannot be used now.
static int refusal(int file, const char *path, enum deed deed) {
    int64_t fault = __atomic_load_n(&control->fault, __ATOMIC_RELAXED);
    int error = error_of(fault, deed);
    if (!error || !(path ? strncmp(path, folder, strlen(folder)) == 0 : is_in_folder(file))) return 0;
    if (fault != BROKEN_ONCE) return error;
    // Only one of several threads sees it.
    return __atomic_compare_exchange_n(&control->fault, &fault, NOTHING, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
        ? error : 0;
}

// How much of that is written at once.
static size_t part(int file, size_t count) {
    if (__atomic_load_n(&control->fault, __ATOMIC_RELAXED) != SHORT || count < 2 || !is_in_folder(file)) return count;
    return 1 + (size_t)rand() % (count - 1);
}

#define GUARD(file, path, deed) do { \
        int error = refusal(file, path, deed); \
        if (error) { errno = error; return -1; } \
    } while (0)

#define REAL(name) \
    static typeof(name) *real; \
    if (!real) real = (typeof(name) *)next(#name)

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    GUARD(file, NULL, WRITING);
    return real(file, bytes, part(file, count), at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    GUARD(file, NULL, WRITING);
    return real(file, bytes, part(file, count), at);
}

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    GUARD(file, NULL, WRITING);
    return real(file, bytes, part(file, count));
}

ssize_t pread(int file, void *bytes, size_t count, off_t at) {
    REAL(pread);
    GUARD(file, NULL, READING);
    return real(file, bytes, count, at);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t at) {
    REAL(pread64);
    GUARD(file, NULL, READING);
    return real(file, bytes, count, at);
}

int fdatasync(int file) { REAL(fdatasync); GUARD(file, NULL, SYNCING); return real(file); }
int fsync(int file) { REAL(fsync); GUARD(file, NULL, SYNCING); return real(file); }

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    GUARD(file, NULL, NAMING);
    return real(file, size);
}

int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    GUARD(file, NULL, NAMING);
    return real(file, size);
}

int link(const char *from, const char *path) { REAL(link); GUARD(0, path, NAMING); return real(from, path); }
int rename(const char *from, const char *path) { REAL(rename); GUARD(0, path, NAMING); return real(from, path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); GUARD(0, path, NAMING); return real(path, mode); }

#define OPEN do { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (flags & O_CREAT && access(path, F_OK) != 0) GUARD(0, path, NAMING); \
        return real(path, flags, mode); \
    } while (0)

int open(const char *path, int flags, ...) { REAL(open); OPEN; }
int open64(const char *path, int flags, ...) { REAL(open64); OPEN; }

// One of many allocations finds no memory. The real functions have these names in glibc.
static int is_refused(void) {
    static uint64_t count;
    if (__atomic_load_n(&control->fault, __ATOMIC_RELAXED) != NO_MEMORY) return 0;
    uint64_t number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) * 0x9e3779b97f4a7c15;
    if (number >> 48) return 0;
    errno = ENOMEM;
    return 1;
}

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t size) { return is_refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_refused() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return is_refused() ? NULL : __libc_realloc(old, size); }
