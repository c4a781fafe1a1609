#pragma once

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <sys/mman.h>

// Memory hooks for nghttp2, and mmap, whose macros Swift cannot import.

static inline void *cnghttp2_malloc(size_t size, void *context) {
    (void)context;
    return malloc(size);
}

static inline void *cnghttp2_calloc(size_t count, size_t size, void *context) {
    (void)context;
    return calloc(count, size);
}

static inline void *cnghttp2_realloc(void *block, size_t size) { return realloc(block, size); }

static inline void cnghttp2_free(void *block) { free(block); }

// With huge pages a single used page would cost two megabytes.
static inline void *cnghttp2_map(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    (void)madvise(pages, size, MADV_NOHUGEPAGE);
    return pages;
}

static inline void cnghttp2_unmap(void *pages, size_t size) { (void)munmap(pages, size); }

static inline void cnghttp2_discard(void *pages, size_t size) {
    (void)madvise(pages, size, MADV_DONTNEED);
}
