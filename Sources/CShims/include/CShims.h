#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/// Forbids core files and ptrace by processes of the same user. Returns 0, or -1 with errno.
int cshims_forbid_dumping(void);

/// Lets other programs of the user inspect this process again. Returns 0, or -1 with errno.
int cshims_allow_dumping(void);

/// Accepts one connection, non-blocking and close-on-exec. Returns its descriptor, or -1 with errno.
int cshims_accept(int listener, struct sockaddr *address, socklen_t *length);

/// The process at the other end of a Unix socket when it connected. Returns 0, or -1 with errno.
int cshims_peer_credentials(int socket, pid_t *process, uid_t *user, gid_t *group);

/// The number of cores that this process may use, at least one.
int cshims_usable_cores(void);

/// Names the calling thread; the kernel keeps 15 bytes.
void cshims_name_thread(const char *name);

/// Gives free memory of all malloc arenas back to the system.
void cshims_trim_heap(void);

/// Opens `path` inside an open folder without following links or leaving the folder. The
/// descriptor is for examining the file and connecting to it. Returns it, or -1 with errno.
int cshims_open_beneath(int folder, const char *path);

/// Waits for a thread to end, with a deadline on CLOCK_MONOTONIC. Returns 0, or an errno.
int cshims_join_until(pthread_t thread, struct timespec deadline);

/// An input that a thread is handling. It is on the stack of that thread.
struct cshims_input {
    uint32_t kind;
    /// The account concerned, if it is stored; otherwise 0.
    uint64_t subject;
    const void *first;
    size_t first_count;
    const void *second;
    size_t second_count;
    struct cshims_input *outer;
};

/// The input that a thread was handling when a signal ended the process; `signal` is 0 before that.
struct cshims_crash {
    uint32_t signal;
    uint32_t kind;
    uint64_t subject;
    uint64_t digest;
};

/// The thread begins to handle this input, within the current one if there is one.
void cshims_enter(struct cshims_input *input);

/// The thread has handled it.
void cshims_leave(const struct cshims_input *input);

/// The digest of an input's kind and bytes, under a key.
uint64_t cshims_digest(const uint64_t key[2], const struct cshims_input *input);

/// From now on the first thread that gets SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE or SIGSEGV writes
/// the input it was handling into `place`. Returns 0, or -1 with errno.
int cshims_note_crashes(struct cshims_crash *place, const uint64_t key[2]);
