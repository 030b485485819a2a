// SPDX-License-Identifier: MIT
// crypt(3). A wrapper, because its state structure is too large for Swift to import completely.
#pragma once
#include <crypt.h>
#include <stddef.h>

static const size_t CCRYPT_STATE_SIZE = sizeof(struct crypt_data);

// The state must be zeroed before the first call. Returns NULL, or a string that begins with an asterisk, for an
// unknown setting.
static inline const char *ccrypt_hash(const char *phrase, const char *setting, void *state) {
    return crypt_r(phrase, setting, (struct crypt_data *)state);
}
