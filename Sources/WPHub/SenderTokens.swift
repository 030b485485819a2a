// SPDX-License-Identifier: MIT

import WPCore
import WPFleet
import WPModel
import WPServer
import WPSettings

/// The tokens of `hub.tokens_file`: each identifies one sender, which may report only under its own name.
///
/// A line is `node NAME TOKEN` or `site NAME TOKEN`, and `site TOKEN` for an exporter without `hub.site`. Names may
/// contain spaces. Empty lines and those that begin with `#` are ignored. A sender may have several tokens.
struct SenderTokens: Sendable, CustomStringConvertible, CustomReflectable {
    private struct Entry: Sendable {
        let token: String
        let sender: ReportIntake.Sender
    }

    /// The maximum size of the file, in bytes.
    static let sizeLimit = 4 << 20
    /// The minimum length of a token, in characters.
    static let minimumLength = 16

    /// Keyed by the token's hash, whose seed is private to the process: bucket positions reveal nothing about tokens.
    private let entries: [Int: [Entry]]

    /// - Throws: `SettingsFileError`, which names the line without quoting it.
    init(file path: String, using files: any SettingsFileReader = SystemSettingsFileReader()) throws(SettingsFileError)
    {
        let file = try files.read(path, limit: Self.sizeLimit)
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            throw SettingsFileError(.malformed, path: path, "it is not UTF-8")
        }
        var entries: [Int: [Entry]] = [:]
        // Swift treats a carriage return and a line feed as one character.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let kind = words.first, !kind.hasPrefix("#") else { continue }
            func fault(_ reason: String) -> SettingsFileError {
                SettingsFileError(.malformed, path: path, "line \(index + 1): \(reason)")
            }
            guard words.count >= 2, let token = words.last.map(String.init) else {
                throw fault("expected `node NAME TOKEN` or `site NAME TOKEN`")
            }
            let name =
                words[1].startIndex == words[words.count - 1].startIndex
                ? "" : String(line[words[1].startIndex..<words[words.count - 2].endIndex])
            let sender: ReportIntake.Sender
            switch kind {
            case "node" where !name.isEmpty: sender = .node(ByteString(name))
            case "site": sender = .site(ByteString(name))
            default: throw fault("expected `node NAME TOKEN` or `site NAME TOKEN`")
            }
            guard token.count >= Self.minimumLength else {
                throw fault("a token has at least \(Self.minimumLength) characters")
            }
            guard !(entries[ByteString(token).hashValue] ?? []).contains(where: { ConstantTime.equal($0.token, token) })
            else {
                throw fault("duplicate token: each sender needs its own")
            }
            entries[ByteString(token).hashValue, default: []].append(Entry(token: token, sender: sender))
        }
        guard !entries.isEmpty else { throw SettingsFileError(.malformed, path: path, "it has no token") }
        self.entries = entries
    }

    /// The owner of a token; nil if there is none.
    func sender(_ token: String) -> ReportIntake.Sender? {
        var found: ReportIntake.Sender?
        for entry in entries[ByteString(token).hashValue] ?? [] where ConstantTime.equal(entry.token, token) {
            found = entry.sender
        }
        return found
    }

    var description: String { "<REDACTED>" }
    var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
