// SPDX-License-Identifier: MIT
// crypt(3) of the C library, whose state is too large a structure for Swift to import whole.
#pragma once
#include <crypt.h>
#include <stddef.h>

static const size_t CCRYPT_STATE_SIZE = sizeof(struct crypt_data);

// The state must be zero at first. Gives NULL, or a text that begins with an asterisk, for a setting that is not known.
static inline const char *ccrypt_hash(const char *phrase, const char *setting, void *state) {
    return crypt_r(phrase, setting, (struct crypt_data *)state);
}
