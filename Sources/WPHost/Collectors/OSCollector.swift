// SPDX-License-Identifier: MIT

/// Reads the distribution (os-release(5)): `/etc/os-release`, else `/usr/lib/os-release`.
struct OSCollector: PlainCollector {
    static let name = "os"

    mutating func collect(_ context: inout CollectionContext) -> [String: String]? {
        context.read(context.root, "etc/os-release") { Self.fields($0) }
            ?? context.read(context.root, "usr/lib/os-release") { Self.fields($0) }
    }

    static func addFamilies(of os: [String: String], to families: inout HostFamilies) {
        let names = [
            "build_id", "id", "id_like", "image_id", "image_version", "name", "pretty_name", "variant", "variant_id",
            "version", "version_codename", "version_id",
        ]
        let info = names.flatMap { [$0, os[$0.uppercased()] ?? ""] }
        families.add("os_info", "The distribution, from os-release.", labels: info, 1)
        let labels = ["id", os["ID"] ?? "", "id_like", os["ID_LIKE"] ?? "", "name", os["NAME"] ?? ""]
        let version = os["VERSION_ID"].flatMap(version)
        families.add("os_version", "Major and minor version of the distribution.", labels: labels, version)
    }

    /// Converts `22.04.1` to 22.04; nil without a leading number.
    private static func version(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(2)
            .map { $0.prefix { ("0"..."9").contains($0) } }
        guard let major = parts.first, !major.isEmpty else { return nil }
        if parts.count == 2, !parts[1].isEmpty { return Double("\(major).\(parts[1])") }
        return Double(major)
    }

    private static func fields(_ bytes: Bytes) -> [String: String] {
        var fields: [String: String] = [:]
        for line in bytes.lines {
            var parts = ByteScanner(line)
            guard line.first != UInt8(ascii: "#"), let name = parts.prefix(upTo: UInt8(ascii: "="))?.trimmed.string
            else { continue }
            fields[name] = unquoted(parts.rest.trimmed.string)
        }
        return fields
    }

    /// A value without the quotes and escapes of the shell.
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

extension HostSample {
    /// The fields of os-release by name, without quotes.
    package var os: [String: String]? { self[OSCollector.self] }
}
