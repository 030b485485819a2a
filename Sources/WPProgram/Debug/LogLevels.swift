// SPDX-License-Identifier: MIT

import WPLogging

/// The effective log levels.
struct LogLevels: Encodable, Equatable {
    var level: String
    var modules: [String: String]

    init(_ threshold: LogThreshold) {
        level = threshold.level.rawValue
        modules = threshold.moduleLevels.mapValues(\.rawValue)
    }
}
