// SPDX-License-Identifier: MIT
// What Swift's Glibc module leaves out. Empty off Linux, where nothing imports it.
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

// Glibc gives threads heaps of their own unless it is told not to. Musl has one.
static inline void clinux_share_heap(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
    // Without a threshold that is set, glibc raises its own after each large block that is freed, up to 32 MiB: large
    // buffers then come from the heap and leave holes, and the peak depends on the order in which threads ask.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

// Declared here because <sys/socket.h> hides it without _GNU_SOURCE, with which the structures of the C library would
// differ from those that other system modules see.
static inline int clinux_accept(int listener) {
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Names the calling thread, in 15 bytes at most, for ps, top and the debug page. Declared here for the same reason.
static inline void clinux_name_thread(const char *name) {
    extern int pthread_setname_np(pthread_t, const char *);
    (void)pthread_setname_np(pthread_self(), name);
}
#endif
