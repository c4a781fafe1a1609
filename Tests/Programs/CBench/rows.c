#include "CBench.h"
#include "check.h"

#include <sqlite3.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void execute(sqlite3 *database, const char *text) {
    CHECK(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *text) {
    sqlite3_stmt *statement;
    CHECK(sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)
          == SQLITE_OK);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    CHECK(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
}

double cbench_rows(const char *path, size_t length, int batch, double seconds) {
    sqlite3 *database;
    uint8_t *body = calloc(length, 1);
    CHECK(body && sqlite3_open(path, &database) == SQLITE_OK);
    execute(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    execute(
        database,
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, device INTEGER, expiry INTEGER, body BLOB);"
        "CREATE INDEX of_device ON messages(device, id)");
    sqlite3_stmt *begin = prepare(database, "BEGIN IMMEDIATE");
    sqlite3_stmt *commit = prepare(database, "COMMIT");
    sqlite3_stmt *insert = prepare(
        database, "INSERT INTO messages(device, expiry, body) VALUES(?, ?, ?)");
    long rows = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + seconds;
    double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    while (seconds_of(CLOCK_MONOTONIC) < end) {
        step(begin);
        for (int row = 0; row < batch; row++, rows++) {
            sqlite3_bind_int64(insert, 1, rows * 617 % 2000);
            sqlite3_bind_int64(insert, 2, 1800000000);
            sqlite3_bind_blob(insert, 3, body, (int)length, SQLITE_STATIC);
            step(insert);
        }
        step(commit);
    }
    used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used;
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(insert);
    sqlite3_close(database);
    free(body);
    return used / (double)rows * 1e6;
}
