// SPDX-License-Identifier: MIT
#include "build_info.h"

// Written in C because a build setting can define a string macro for C but not for Swift.
const char *wp_build_revision(void) { return WP_REVISION; }
