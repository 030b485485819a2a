// SPDX-License-Identifier: MIT
#pragma once

/// The source revision that the program was built from: WP_REVISION of the build's environment, or "unknown".
const char *wp_build_revision(void);
