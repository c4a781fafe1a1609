#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/// No core file and no ptrace by other processes of the same user. Returns 0, or -1 with errno.
int cshims_forbid_dumping(void);

/// Other programs of the user may see again what kind of process this is. Returns 0, or -1 with errno.
int cshims_allow_dumping(void);

/// Takes one connection, non-blocking and closed on exec. Returns its descriptor, or -1 with errno.
int cshims_accept(int listener, struct sockaddr *address, socklen_t *length);

/// Who held the other end of a Unix socket when it was connected. Returns 0, or -1 with errno.
int cshims_peer_credentials(int socket, pid_t *process, uid_t *user, gid_t *group);

/// The cores this process may run on, at least one.
int cshims_usable_cores(void);

/// Names the calling thread; the kernel keeps 15 bytes.
void cshims_name_thread(const char *name);

/// Gives free memory of all of malloc's arenas back to the system.
void cshims_trim_heap(void);

/// Opens `path` inside of an open folder, following no link and leaving the folder by no way; the
/// descriptor serves to look at it and to connect to it. Returns it, or -1 with errno.
int cshims_open_beneath(int folder, const char *path);

/// Waits for the end of a thread, at most until then by CLOCK_MONOTONIC. Returns 0, or an errno.
int cshims_join_until(pthread_t thread, struct timespec deadline);

/// Something from outside that a thread is at work on. Lies on the stack of that thread.
struct cshims_input {
    uint32_t kind;
    /// On whose behalf, where that is kept between starts; otherwise 0.
    uint64_t subject;
    const void *first;
    size_t first_count;
    const void *second;
    size_t second_count;
    struct cshims_input *outer;
};

/// What a thread was at work on when it ended the process by a signal; `signal` is 0 before that.
struct cshims_crash {
    uint32_t signal;
    uint32_t kind;
    uint64_t subject;
    uint64_t digest;
};

/// The thread is at work on this, within what it is at work on already.
void cshims_enter(struct cshims_input *input);

/// Not any more.
void cshims_leave(const struct cshims_input *input);

/// Names an input by its kind and bytes, under a key.
uint64_t cshims_digest(const uint64_t key[2], const struct cshims_input *input);

/// From now on the first thread that ends the process by SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE or
/// SIGSEGV writes into `place` what it was at work on. Returns 0, or -1 with errno.
int cshims_note_crashes(struct cshims_crash *place, const uint64_t key[2]);
