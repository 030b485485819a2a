// SPDX-License-Identifier: MIT
// Declarations that Swift's Glibc module lacks. Empty on other systems, where nothing imports it.
#pragma once
#ifdef __linux__
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timex.h>

// Glibc declares these as enumerations and Musl as macros, which Swift imports as different types.
static const uint32_t CLINUX_EPOLLIN = EPOLLIN;
static const uint32_t CLINUX_EPOLLOUT = EPOLLOUT;
static const uint32_t CLINUX_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t CLINUX_EPOLLHUP = EPOLLHUP;
static const uint32_t CLINUX_EPOLLERR = EPOLLERR;
static const uint32_t CLINUX_EPOLLET = EPOLLET;
static const int CLINUX_EPOLL_CLOEXEC = EPOLL_CLOEXEC;
static const int CLINUX_EFD_FLAGS = EFD_CLOEXEC | EFD_NONBLOCK;
static const int CLINUX_SOCK_STREAM = SOCK_STREAM;
static const int CLINUX_SOCK_FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK;
static const int CLINUX_STA_NANO = STA_NANO;
static const int CLINUX_TIME_ERROR = TIME_ERROR;
static const int CLINUX_MSG_NOSIGNAL = MSG_NOSIGNAL;

// Makes all threads share one heap. By default, glibc creates several arenas; musl has only one heap.
static inline void clinux_share_heap(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
    // Fixed thresholds. Otherwise glibc raises them after each large block that is freed, up to 32 MiB: large buffers
    // are then allocated from the heap and fragment it, and peak memory depends on the order of allocations.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

// Declared here because <sys/socket.h> declares it only with _GNU_SOURCE, which would make structures of the C library
// differ from those of other system modules.
static inline int clinux_accept(int listener) {
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Sets the name of the calling thread, at most 15 bytes, for ps, top and the debug page. Declared here for the same
// reason.
static inline void clinux_name_thread(const char *name) {
    extern int pthread_setname_np(pthread_t, const char *);
    (void)pthread_setname_np(pthread_self(), name);
}
#endif
