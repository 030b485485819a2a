// SPDX-License-Identifier: MIT
// Pointers to the functions of libpq, with the types of its header. The library is loaded on demand, because linking it
// would cost every run of the program 5 MB of memory and two dozen shared libraries.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#elif __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include("/opt/homebrew/opt/libpq/include/libpq-fe.h")
#include "/opt/homebrew/opt/libpq/include/libpq-fe.h"
#elif __has_include("/usr/local/opt/libpq/include/libpq-fe.h")
#include "/usr/local/opt/libpq/include/libpq-fe.h"
#else
#error "The header of libpq is missing: run scripts/setup, or install libpq-dev (Debian) or libpq (Homebrew)."
#endif

#define CPOSTGRES_EACH(F)                                                                                              \
    F(connectStartParams)                                                                                              \
    F(connectPoll)                                                                                                     \
    F(finish)                                                                                                          \
    F(status)                                                                                                          \
    F(socket)                                                                                                          \
    F(errorMessage)                                                                                                    \
    F(setnonblocking)                                                                                                  \
    F(setNoticeProcessor)                                                                                              \
    F(serverVersion)                                                                                                   \
    F(transactionStatus)                                                                                               \
    F(parameterStatus)                                                                                                 \
    F(sendQueryParams)                                                                                                 \
    F(sendPrepare)                                                                                                     \
    F(sendDescribePrepared)                                                                                            \
    F(setSingleRowMode)                                                                                                \
    F(flush)                                                                                                           \
    F(consumeInput)                                                                                                    \
    F(isBusy)                                                                                                          \
    F(getResult)                                                                                                       \
    F(resultStatus)                                                                                                    \
    F(resultErrorField)                                                                                                \
    F(resultErrorMessage)                                                                                              \
    F(ntuples)                                                                                                         \
    F(nfields)                                                                                                         \
    F(fname)                                                                                                           \
    F(ftype)                                                                                                           \
    F(getvalue)                                                                                                        \
    F(getlength)                                                                                                       \
    F(getisnull)                                                                                                       \
    F(clear)

typedef struct {
#define CPOSTGRES_MEMBER(name) __typeof__(&PQ##name) name;
    CPOSTGRES_EACH(CPOSTGRES_MEMBER)
#undef CPOSTGRES_MEMBER
} cpostgres_functions;

// Finds the functions in a loaded library. Returns NULL, or the name of the first missing function.
static inline const char *cpostgres_find(void *library, cpostgres_functions *functions) {
#define CPOSTGRES_FIND(name)                                                                                           \
    functions->name = (__typeof__(&PQ##name))dlsym(library, "PQ" #name);                                               \
    if (!functions->name) return "PQ" #name;
    CPOSTGRES_EACH(CPOSTGRES_FIND)
#undef CPOSTGRES_FIND
    return NULL;
}

// Discards notices from the server, which libpq would otherwise write to standard error.
static inline void cpostgres_drop_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

static inline void cpostgres_drop_notices(const cpostgres_functions *functions, PGconn *connection) {
    functions->setNoticeProcessor(connection, cpostgres_drop_notice, NULL);
}
