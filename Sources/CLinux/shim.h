// SPDX-License-Identifier: MIT
// What Swift's Glibc module leaves out. Empty off Linux, where nothing imports it.
#pragma once
#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#endif
