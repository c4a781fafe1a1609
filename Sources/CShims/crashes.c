#define _GNU_SOURCE
#include "CShims.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* The inputs that the thread is handling, the innermost first. */
static _Thread_local struct cshims_input *current;
/* A stack overflow also ends in a signal, and the handler then needs a stack of its own. */
static _Thread_local char spare[32768];
static _Thread_local int is_prepared;

static struct cshims_crash *place;
static uint64_t key[2];
static int is_noted;

static void prepare(void) {
    stack_t stack = {.ss_sp = spare, .ss_size = sizeof spare}, former;
    /* Sanitizers install one, and free whatever they find there when the thread ends. */
    if (sigaltstack(NULL, &former) == 0 && former.ss_flags & SS_DISABLE) sigaltstack(&stack, NULL);
    is_prepared = 1;
}

void cshims_enter(struct cshims_input *input) {
    if (!is_prepared) prepare();
    input->outer = current;
    current = input;
}

void cshims_leave(const struct cshims_input *input) {
    current = input->outer;
}

/* SipHash-2-4: without the key nobody can make one input look like another. */
struct sip {
    uint64_t v[4];
    uint64_t word;
    uint64_t length;
};

static uint64_t turned(uint64_t value, int count) {
    return value << count | value >> (64 - count);
}

static void mix(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turned(v[1], 13) ^ v[0];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] = turned(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turned(v[1], 17) ^ v[2];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] = turned(v[2], 32);
}

static void take_word(struct sip *sip) {
    sip->v[3] ^= sip->word;
    mix(sip->v);
    mix(sip->v);
    sip->v[0] ^= sip->word;
    sip->word = 0;
}

static void take(struct sip *sip, const uint8_t *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) {
        sip->word |= (uint64_t)bytes[index] << 8 * (sip->length & 7);
        if ((++sip->length & 7) == 0) take_word(sip);
    }
}

static uint64_t finish(struct sip *sip) {
    sip->word |= sip->length << 56;
    take_word(sip);
    sip->v[2] ^= 0xff;
    for (int round = 0; round < 4; round++) mix(sip->v);
    return sip->v[0] ^ sip->v[1] ^ sip->v[2] ^ sip->v[3];
}

uint64_t cshims_digest(const uint64_t key[2], const struct cshims_input *input) {
    struct sip sip = {
        .v = {
            key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
            key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573,
        },
    };
    uint64_t head[2] = {input->kind, input->first_count};
    take(&sip, (const uint8_t *)head, sizeof head);
    take(&sip, input->first, input->first_count);
    take(&sip, input->second, input->second_count);
    return finish(&sip);
}

/* Whether the program itself caused the signal. One that was sent says nothing about the current input. */
static int is_own(int number, const siginfo_t *info) {
    if (number == SIGABRT) return info->si_code == SI_TKILL && info->si_pid == getpid();
    return info->si_code > 0;
}

/* Only memory accesses and async-signal-safe calls. */
static void crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    int error = errno;
    struct cshims_input *input = current;
    if (input && is_own(number, info) && !__atomic_exchange_n(&is_noted, 1, __ATOMIC_ACQ_REL)) {
        place->kind = input->kind;
        place->subject = input->subject;
        place->digest = cshims_digest(key, input);
        __atomic_store_n(&place->signal, (uint32_t)number, __ATOMIC_RELEASE);
    }
    errno = error;
    /* The default action is restored, and happens when this returns. */
    raise(number);
}

int cshims_note_crashes(struct cshims_crash *given, const uint64_t given_key[2]) {
    static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    place = given;
    key[0] = given_key[0];
    key[1] = given_key[1];
    is_noted = 0;
    struct sigaction action = {
        .sa_sigaction = crashed,
        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND,
    };
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++)
        if (sigaction(signals[index], &action, NULL) != 0) return -1;
    return 0;
}
