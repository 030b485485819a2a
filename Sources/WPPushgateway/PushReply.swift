// SPDX-License-Identifier: MIT

import WPHTTP

/// What a gateway replies to a push that it refuses: one line of text, of which a short part is quoted.
struct PushReply {
    private static let maximumLength = 200

    /// `: "…"`, or nothing when nothing may be quoted.
    let quotation: String

    /// - Parameter secrets: texts that a reply may echo; a reply that does is not quoted at all.
    init(_ response: HTTPResponse, hiding secrets: [String]) {
        let text = String(decoding: response.bytes.prefix(4096), as: UTF8.self)
        guard !secrets.contains(where: { !$0.isEmpty && text.contains($0) }) else {
            quotation = ""
            return
        }
        var line = ""
        for scalar in text.unicodeScalars.prefix(Self.maximumLength) {
            line.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        let words = line.split(separator: " ").joined(separator: " ")
        quotation = words.isEmpty ? "" : ": \"\(words)\""
    }
}
