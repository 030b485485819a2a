// SPDX-License-Identifier: MIT

import CBuildInfo

/// The identity of this build, for `version`, `/health`, the build-info metric and the User-Agent.
package enum Version {
    package static let program = "wpexporter"
    package static let number = "0.1.0"
    /// The product in a `User-Agent`.
    package static let product = "\(program)/\(number)"
    /// The date of the last change to the version, for the manual page, in the format of mdoc(7).
    package static let date = "November 22, 2026"

    /// The source revision, or "unknown" if it was not set at build time.
    package static var revision: String { String(cString: wp_build_revision()) }

    /// The Swift language version of the compiler, without the patch number.
    package static var swift: String {
        #if swift(>=6.4)
        "6.4 or later"
        #elseif swift(>=6.3)
        "6.3"
        #elseif swift(>=6.2)
        "6.2"
        #else
        "6.1"
        #endif
    }
}
