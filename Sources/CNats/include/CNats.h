#pragma once

#include <stdbool.h>

#include <nats/nats.h>

/// Loads libnats, without which no function of it may be called. Returns whether it is there.
///
/// Only one thread may call it.
bool cnats_load(void);
