#pragma once

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

// Enumerators that become 32-bit masks, and macros that Swift cannot import.

static const uint32_t clinux_readable = EPOLLIN;
static const uint32_t clinux_writable = EPOLLOUT;
static const uint32_t clinux_peer_closed = EPOLLRDHUP;
static const uint32_t clinux_hang_up = EPOLLHUP;
static const uint32_t clinux_error = EPOLLERR;
static const uint32_t clinux_once = EPOLLONESHOT;
static const uint32_t clinux_exclusive = EPOLLEXCLUSIVE;
static const uint32_t clinux_edge = EPOLLET;

static const int clinux_stream = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int clinux_no_signal = MSG_NOSIGNAL;
static const int clinux_peek = MSG_PEEK;
static const int clinux_half_close = SHUT_WR;

/// Swift cannot access the packed structure.
static inline struct epoll_event clinux_event(uint32_t mask, uint64_t data) {
    struct epoll_event event = {.events = mask, .data = {.u64 = data}};
    return event;
}

static inline uint32_t clinux_event_mask(const struct epoll_event *event) { return event->events; }

static inline uint64_t clinux_event_data(const struct epoll_event *event) { return event->data.u64; }
