#pragma once

// Debian's library has sessions.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// Variadic in C.

static inline int csqlite_set(sqlite3 *database, int option, int value) {
    int result = 0;
    return sqlite3_db_config(database, option, value, &result);
}

/// Call it before the first connection. Counting every allocation would take a lock each time.
static inline int csqlite_forgo_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// SQLITE_TRANSIENT, which makes SQLite copy the value, is a cast.

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_text(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT);
}
