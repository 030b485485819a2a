// SPDX-License-Identifier: MIT

/// The distribution, as os-release(5) describes it.
package struct OperatingSystem: Sendable, Hashable {
    /// Its fields by name, without quotes.
    package let fields: [String: String]

    package subscript(name: String) -> String? { fields[name] }
}

/// Reads `/etc/os-release`, else `/usr/lib/os-release`.
struct OperatingSystemCollector: HostCollector {
    static let name = HostCollectorName.os
    static let part: HostPart<OperatingSystem> = \.os

    mutating func collect(_ context: inout CollectionContext) -> OperatingSystem? {
        let fields =
            context.read(context.root, "etc/os-release") { Self.fields($0) }
            ?? context.read(context.root, "usr/lib/os-release") { Self.fields($0) }
        return fields.map { OperatingSystem(fields: $0) }
    }

    private static func fields(_ bytes: Bytes) -> [String: String] {
        var fields: [String: String] = [:]
        var scanner = ByteScanner(bytes)
        while let line = scanner.line() {
            var parts = ByteScanner(line)
            guard line.first != UInt8(ascii: "#"), let name = parts.prefix(upTo: UInt8(ascii: "="))?.trimmed.string
            else { continue }
            fields[name] = unquoted(parts.rest.trimmed.string)
        }
        return fields
    }

    /// A value as a shell reads it.
    private static func unquoted(_ text: String) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'", text.count >= 2, text.last == quote else {
            return text
        }
        let inner = text.dropFirst().dropLast()
        guard quote == "\"" else { return String(inner) }
        var result = ""
        var isEscaped = false
        for character in inner {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            isEscaped = false
            result.append(character)
        }
        return result
    }
}
