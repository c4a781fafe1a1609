#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int cshims_forbid_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int cshims_allow_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

int cshims_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int cshims_peer_credentials(int socket, pid_t *process, uid_t *user, gid_t *group) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *process = credentials.pid;
    *user = credentials.uid;
    *group = credentials.gid;
    return 0;
}

int cshims_usable_cores(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
    return CPU_COUNT(&cores);
}

void cshims_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

void cshims_trim_heap(void) {
    malloc_trim(0);
}

int cshims_join_until(pthread_t thread, struct timespec deadline) {
#if __has_feature(thread_sanitizer)
    // The sanitizer would not notice that the thread was joined, and stop at the next one with its number.
    struct timespec now, time;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += deadline.tv_sec - now.tv_sec + 1;
    return pthread_timedjoin_np(thread, NULL, &time);
#else
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &deadline);
#endif
}

int cshims_open_beneath(int folder, const char *path) {
    struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
