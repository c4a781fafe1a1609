#pragma once

#include <stdio.h>
#include <stdlib.h>

/// Ends the process when a call fails that only lack of memory or of an algorithm lets fail.
#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            exit(70);                                                           \
        }                                                                       \
    } while (0)
