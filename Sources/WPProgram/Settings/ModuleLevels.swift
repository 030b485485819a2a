// SPDX-License-Identifier: MIT

import WPCommandLine
import WPSettings

/// Log levels of individual modules in the notation of settings: `client=debug,server=warn`.
package struct ModuleLevels: Sendable, Hashable, CustomStringConvertible {
    /// The levels by module.
    package var levels: [LoggingSettings.Module: LoggingSettings.Level]

    /// Creates levels; none by default.
    package init(_ levels: [LoggingSettings.Module: LoggingSettings.Level] = [:]) {
        self.levels = levels
    }

    /// Parses `module=level` pairs separated by commas, with optional spaces; an empty text has none.
    /// - Throws: ``Malformed`` for an unknown module or level, and for a module that is given twice.
    package init(_ text: String) throws(Malformed) {
        levels = [:]
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        guard parts != [""] else { return }
        for part in parts {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false).map { Self.trimmed($0) }
            guard pair.count == 2 else { throw Malformed("each part must be MODULE=LEVEL, with commas between them") }
            guard let module = LoggingSettings.Module(rawValue: pair[0].lowercased()) else {
                let nearest = NearestName.find(pair[0], in: LoggingSettings.Module.allCases.map(\.rawValue))
                throw Malformed(
                    nearest.map { "did you mean \($0)?" } ?? "the modules are \(LoggingSettings.Module.names)"
                )
            }
            guard let level = LoggingSettings.Level(rawValue: pair[1].lowercased()) else {
                throw Malformed("the levels are debug, info, warn and error")
            }
            guard levels.updateValue(level, forKey: module) == nil else { throw Malformed("\(module) is given twice") }
        }
    }

    /// The text of these levels, sorted by module.
    package var description: String {
        levels.map { "\($0.key.rawValue)=\($0.value.rawValue)" }.sorted().joined(separator: ",")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// Why a string is not a list of levels. Does not quote it.
    package struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
