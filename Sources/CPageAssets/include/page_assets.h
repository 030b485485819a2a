/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/// The name and content of a file of the web page, or of the API description.
struct wp_page_asset {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// Returns the files in no particular order; the last one has no name.
const struct wp_page_asset *wp_page_assets(void);
