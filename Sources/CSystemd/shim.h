#pragma once

#include <poll.h>
#include <systemd/sd-bus.h>

// The flags are 64-bit constants of an enumeration without a name.

/// Neither queued behind another owner, nor to be taken away.
static const uint64_t csystemd_name_alone = 0;
static const uint64_t csystemd_no_timeout = UINT64_MAX;

static const int csystemd_readable = POLLIN;
static const int csystemd_writable = POLLOUT;
