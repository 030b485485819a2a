// SPDX-License-Identifier: MIT
#pragma once

/// The source revision of the program: WP_REVISION in the build environment, or "unknown".
const char *wp_build_revision(void);
