// SPDX-License-Identifier: MIT
// Pointers to the functions of SQLite, with the types of its header. The library is loaded when a history is opened, so
// that commands without a history do not need it.
#pragma once
#include <dlfcn.h>
#include <sqlite3.h>

#define CSQLITE_CALLS(X) \
    X(bind_blob64) X(bind_double) X(bind_int64) X(bind_null) X(bind_text) X(busy_timeout) X(changes) \
    X(clear_bindings) X(close_v2) X(column_blob) X(column_bytes) X(column_double) X(column_int64) X(column_text) \
    X(column_type) X(errmsg) X(exec) X(extended_errcode) X(finalize) X(interrupt) X(libversion) X(open_v2) \
    X(prepare_v3) X(reset) X(soft_heap_limit64) X(step)

typedef struct {
#define X(name) __typeof__(&sqlite3_##name) name;
    CSQLITE_CALLS(X)
#undef X
} CSQLiteCalls;

// Looks up all functions in a library opened by dlopen. Returns the name of the first missing function, or NULL.
static inline const char *csqlite_load(void *library, CSQLiteCalls *calls) {
#define X(name) \
    calls->name = (__typeof__(calls->name))dlsym(library, "sqlite3_" #name); \
    if (!calls->name) return "sqlite3_" #name;
    CSQLITE_CALLS(X)
#undef X
    return 0;
}

// Makes SQLite allocate memory on demand. By default each connection preallocates twenty pages and 40 lookaside slots
// of 1,200 bytes, and writes to all of them immediately. Has no effect after SQLite has been initialized.
static inline void csqlite_start_small(void *library) {
    int (*config)(int, ...) = (__typeof__(config))dlsym(library, "sqlite3_config");
    if (!config) return;
    (void)config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    (void)config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}
