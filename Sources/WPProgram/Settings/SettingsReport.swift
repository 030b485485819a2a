// SPDX-License-Identifier: MIT

import WPCore
package import WPSettings
import WPYAML

/// A report of the effective settings or of their faults, as text or JSON. Secrets are redacted.
package enum SettingsReport {
    package static func json(of faults: SettingsFaults) throws -> String {
        try json(
            Report(
                valid: false,
                faults: faults.faults.map { fault in
                    Report.Fault(
                        code: fault.code.rawValue,
                        key: fault.key,
                        message: fault.message,
                        location: Location(fault.origin)
                    )
                }
            )
        )
    }

    package static func text<Settings>(of loaded: LoadedSettings<Settings>) -> String {
        let rows = loaded.effective.map { ($0.key, $0.value.isEmpty ? "(none)" : $0.value, $0.origin.description) }
        let keyWidth = rows.map(\.0.count).max() ?? 0
        // One long value must not move the other origins out of view.
        let valueWidth = rows.map(\.1.count).filter { $0 <= 40 }.max() ?? 0
        let lines = rows.map { "\(padded($0.0, keyWidth))  \(padded($0.1, valueWidth))  \($0.2)" }
        let warnings = loaded.warnings.map { "warning: \($0)" }
        let head = loaded.configFile.map { "The settings are valid. File: \($0)" } ?? "The settings are valid. No file."
        return ([head, ""] + lines + (warnings.isEmpty ? [] : [""] + warnings)).joined(separator: "\n") + "\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    package static func json<Settings>(of loaded: LoadedSettings<Settings>) throws -> String {
        try json(
            Report(
                valid: true,
                file: loaded.configFile,
                settings: loaded.effective.map {
                    Report.Setting(key: $0.key, value: $0.value, location: Location($0.origin))
                },
                warnings: loaded.warnings
            )
        )
    }

    private static func json(_ report: Report) throws -> String {
        try JSONDocument.text(report)
    }

    private struct Report: Encodable {
        var valid: Bool
        var file: String?
        var settings: [Setting]?
        var warnings: [String]?
        var faults: [Fault]?

        struct Setting: Encodable {
            var key: String
            var value: String
            var location: Location

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(key, forKey: .key)
                try container.encode(value, forKey: .value)
                try location.encode(to: encoder)
            }
        }

        struct Fault: Encodable {
            var code: String
            var key: String?
            var message: String
            var location: Location

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(code, forKey: .code)
                try container.encodeIfPresent(key, forKey: .key)
                try container.encode(message, forKey: .message)
                try location.encode(to: encoder)
            }
        }

        enum Keys: String, CodingKey {
            case key, value, code, message
        }
    }

    /// The origin of a value or the location of a fault, as text and in components.
    struct Location: Encodable {
        /// `default`, `file`, `credential`, `environment` or `flag`; for a fault, `default` means no location.
        var source: String
        /// As in the text report.
        var origin: String
        var path: String?
        var line: Int?
        var column: Int?
        /// The environment variables from which the value comes or that were substituted into it.
        var variables: [String]?
        var flag: String?

        init(_ origin: SettingOrigin) {
            self.origin = origin.description
            switch origin {
            case .standard:
                source = "default"
            case .file(let path, let position):
                source = "file"
                self.path = path
                line = position?.line
                column = position?.column
            case .substitution(let path, let position, let variables):
                source = "file"
                self.path = path
                line = position.line
                column = position.column
                self.variables = variables
            case .credential(let path):
                source = "credential"
                self.path = path
            case .environment(let name):
                source = "environment"
                variables = [name]
            case .flag(let name):
                source = "flag"
                flag = name
            case .program:
                source = "program"
            }
        }
    }
}
