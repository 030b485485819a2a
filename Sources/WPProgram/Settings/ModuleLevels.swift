// SPDX-License-Identifier: MIT

import WPCommandLine
package import WPLogging

/// Log levels of individual modules in the notation of settings: `client=debug,server=warn`.
package struct ModuleLevels: Sendable {
    /// The names of a program's loggers, sorted.
    package let modules: [String]

    package init(_ modules: [String]) {
        self.modules = modules.sorted()
    }

    /// Parses `module=level` pairs separated by commas, with optional spaces; an empty string has no pairs.
    /// - Throws: ``Malformed`` for an unknown module or level, and for a module that is given twice.
    package func parse(_ text: String) throws(Malformed) -> [String: LogLevel] {
        var levels: [String: LogLevel] = [:]
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
        guard parts != [""] else { return levels }
        for part in parts {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false).map(Self.trimmed)
            guard pair.count == 2 else { throw Malformed("each part must be MODULE=LEVEL, separated by commas") }
            guard let module = modules.first(where: { $0.lowercased() == pair[0].lowercased() }) else {
                let nearest = NearestName.find(pair[0], in: modules)
                throw Malformed(
                    nearest.map { "did you mean \($0)?" } ?? "the modules are \(modules.joined(separator: ", "))"
                )
            }
            guard levels.updateValue(try Self.level(pair[1]), forKey: module) == nil else {
                throw Malformed("\(module) is given twice")
            }
        }
        return levels
    }

    /// Parses a level.
    static func level(_ text: String) throws(Malformed) -> LogLevel {
        guard let level = LogLevel(rawValue: text.lowercased()) else {
            throw Malformed("the levels are debug, info, warn and error")
        }
        return level
    }

    /// The text of levels, sorted by module.
    package static func text(_ levels: [String: LogLevel]) -> String {
        levels.map { "\($0.key)=\($0.value.rawValue)" }.sorted().joined(separator: ",")
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
