#pragma once

#include <poll.h>
#include <systemd/sd-bus.h>

// The flags are 64-bit constants of an unnamed enumeration.

/// Does not queue behind another owner, and cannot be replaced.
static const uint64_t csystemd_name_alone = 0;
static const uint64_t csystemd_no_timeout = UINT64_MAX;

static const int csystemd_readable = POLLIN;
static const int csystemd_writable = POLLOUT;
