// SPDX-License-Identifier: MIT

// Nothing to call: linking is enough.
