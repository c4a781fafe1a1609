// Loaded into the server in front of meddle.c: writes into a journal what changes the files of the test, before
// it happens, and which syncs succeeded or failed. power.py finds out from it what a disk may hold after a power
// cut. A sync by flags of `open` counts as none, so that too much may seem lost, but never too little.
//
// A record has a head, a path and bytes. What a process noted last may not have happened.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MARK 0x7b9e41d35ac8f206

enum { WRITE = 1, SIZE, MAKE, FOLDER, LINK, UNLINK, RENAME, SYNC, MAP, RESULT };

// `mark`: where a record begins. `node`: the number of a file. `at`: a place, a size, or a result.
struct head { uint64_t mark; uint32_t kind, path; uint64_t serial, node; int64_t at; uint64_t bytes; };

// After this many operations the process ends; zero for never.
static volatile int64_t never, *countdown = &never;
static const char *folder = "/nowhere";
static int journal = -1;
static uint32_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("POWER"), *place = getenv("POWER_JOURNAL");
    if (!path || !place || !getenv("POWER_FOLDER")) return;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    void *page = mmap(NULL, sizeof never, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) countdown = page;
    close(file);
    file = syscall(SYS_openat, AT_FDCWD, place, O_WRONLY | O_APPEND | O_CLOEXEC);
    // Low numbers may be what somebody hands over.
    journal = fcntl(file, F_DUPFD_CLOEXEC, 100);
    close(file);
    if (journal >= 0) folder = strdup(getenv("POWER_FOLDER"));
}

static int is_ours(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// Whether it is a file or folder of the test; its path and status are filled in.
static int is_ours_open(int file, char *path, struct stat *status) {
    char link[64];
    if (file <= STDERR_FILENO || fstat(file, status) != 0) return 0;
    if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return is_ours(path);
}

static uint64_t note(uint32_t kind, uint64_t serial, uint64_t node, int64_t at, const char *path,
                     const void *bytes, size_t size) {
    struct head head = {MARK, kind, strlen(path), serial, node, at, size};
    if (!serial) head.serial = (uint64_t)getpid() << 32 | ++count;
    struct iovec parts[] = {
        {&head, sizeof head}, {(void *)path, head.path}, {(void *)bytes, size}};
    if (syscall(SYS_writev, journal, parts, 3) != (long)(sizeof head + head.path + size)) abort();
    if (!serial && *countdown > 0 && --*countdown == 0) {
        for (;;) kill(getpid(), SIGKILL);
    }
    return head.serial;
}

#define NEXT(name) \
    static typeof(name) *real; \
    if (!real) real = (typeof(name) *)dlsym(RTLD_NEXT, #name)

// Notes the operation and then does it; `is_whole` says whether it was done as noted.
#define DO(type, call, is_whole, ...) do { \
        pthread_mutex_lock(&lock); \
        uint64_t serial = note(__VA_ARGS__); \
        type result = call; \
        int error = errno; \
        if (!(is_whole)) note(RESULT, serial, 0, result, "", NULL, 0); \
        pthread_mutex_unlock(&lock); \
        errno = error; \
        return result; \
    } while (0)

#define DO_WRITE(call, place) do { \
        char path[PATH_MAX]; \
        struct stat status; \
        if (!is_ours_open(file, path, &status)) return call; \
        DO(ssize_t, call, result == (ssize_t)size, WRITE, 0, status.st_ino, place, "", bytes, size); \
    } while (0)

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    NEXT(pwrite);
    DO_WRITE(real(file, bytes, size, at), at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    NEXT(pwrite64);
    DO_WRITE(real(file, bytes, size, at), at);
}

ssize_t write(int file, const void *bytes, size_t size) {
    NEXT(write);
    DO_WRITE(real(file, bytes, size),
             fcntl(file, F_GETFL) & O_APPEND ? status.st_size : lseek(file, 0, SEEK_CUR));
}

#define DO_SIZE do { \
        char path[PATH_MAX]; \
        struct stat status; \
        if (!is_ours_open(file, path, &status)) return real(file, size); \
        DO(int, real(file, size), result == 0, SIZE, 0, status.st_ino, size, "", NULL, 0); \
    } while (0)

int ftruncate(int file, off_t size) { NEXT(ftruncate); DO_SIZE; }
int ftruncate64(int file, off64_t size) { NEXT(ftruncate64); DO_SIZE; }

// Others may write while a file is synced, so the result comes as a record of its own.
static int synced(int file, int (*real)(int)) {
    char path[PATH_MAX];
    struct stat status;
    if (!is_ours_open(file, path, &status)) return real(file);
    pthread_mutex_lock(&lock);
    uint64_t serial = note(SYNC, 0, status.st_ino, 0, S_ISDIR(status.st_mode) ? path : "", NULL, 0);
    pthread_mutex_unlock(&lock);
    int result = real(file), error = errno;
    pthread_mutex_lock(&lock);
    note(RESULT, serial, 0, result, "", NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int fsync(int file) { NEXT(fsync); return synced(file, real); }
int fdatasync(int file) { NEXT(fdatasync); return synced(file, real); }

static int opened(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
    struct stat status;
    if (!(flags & (O_CREAT | O_TRUNC)) || !is_ours(path)) return real(path, flags, mode);
    pthread_mutex_lock(&lock);
    int is_there = lstat(path, &status) == 0;
    uint64_t serial = 0;
    if (!is_there && flags & O_CREAT) serial = note(MAKE, 0, 0, 0, path, NULL, 0);
    if (is_there && flags & O_TRUNC) serial = note(SIZE, 0, status.st_ino, 0, "", NULL, 0);
    int file = real(path, flags, mode), error = errno;
    if (file < 0 && serial) note(RESULT, serial, 0, -1, "", NULL, 0);
    if (file >= 0 && serial && fstat(file, &status) == 0) note(RESULT, serial, status.st_ino, 0, "", NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return file;
}

#define DO_OPEN do { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return opened(path, flags, mode, real); \
    } while (0)

int open(const char *path, int flags, ...) { NEXT(open); DO_OPEN; }
int open64(const char *path, int flags, ...) { NEXT(open64); DO_OPEN; }

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    if (!is_ours(path)) return real(path, mode);
    DO(int, real(path, mode), result == 0, FOLDER, 0, 0, 0, path, NULL, 0);
}

int unlink(const char *path) {
    NEXT(unlink);
    if (!is_ours(path)) return real(path);
    DO(int, real(path), result == 0, UNLINK, 0, 0, 0, path, NULL, 0);
}

int link(const char *from, const char *path) {
    NEXT(link);
    if (!is_ours(path)) return real(from, path);
    DO(int, real(from, path), result == 0, LINK, 0, 0, 0, path, from, strlen(from));
}

int rename(const char *from, const char *path) {
    NEXT(rename);
    if (!is_ours(path)) return real(from, path);
    DO(int, real(from, path), result == 0, RENAME, 0, 0, 0, path, from, strlen(from));
}

// What is written through the mapping is seen by nobody, so any page of it may be lost.
static void mapped(int file, int protection, int flags) {
    char path[PATH_MAX];
    struct stat status;
    if (!(flags & MAP_SHARED) || !(protection & PROT_WRITE) || !is_ours_open(file, path, &status)) return;
    pthread_mutex_lock(&lock);
    note(MAP, 0, status.st_ino, 0, "", NULL, 0);
    pthread_mutex_unlock(&lock);
}

void *mmap(void *where, size_t size, int protection, int flags, int file, off_t at) {
    NEXT(mmap);
    mapped(file, protection, flags);
    return real(where, size, protection, flags, file, at);
}

void *mmap64(void *where, size_t size, int protection, int flags, int file, off64_t at) {
    NEXT(mmap64);
    mapped(file, protection, flags);
    return real(where, size, protection, flags, file, at);
}
