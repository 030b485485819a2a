// SPDX-License-Identifier: MIT
#include "build_info.h"

// Swift cannot take a text from the build's settings; C can.
const char *wp_build_revision(void) { return WP_REVISION; }
