// SPDX-License-Identifier: MIT

/// Why bytes are not one JSON text.
struct JSONFault: Error, Hashable {
    /// What is wrong, as a clause.
    let problem: String
    /// The offset of the byte that is wrong, from 0.
    let offset: Int
}
