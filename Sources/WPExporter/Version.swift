// SPDX-License-Identifier: MIT

import CBuildInfo

/// What this program is, for `version`, `/health`, the build-info metric and the User-Agent.
package enum Version {
    package static let program = "wpexporter"
    package static let number = "0.1.0"
    /// When the version was last worked on, for the manual page, as mdoc(7) writes a date.
    package static let date = "November 22, 2026"

    /// The source revision, or "unknown" when the build was not told.
    package static var revision: String { String(cString: wp_build_revision()) }

    /// The Swift language version of the compiler, to its minor number.
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
