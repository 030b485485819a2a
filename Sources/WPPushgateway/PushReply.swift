// SPDX-License-Identifier: MIT

import WPHTTP

/// What a gateway says of a push that it refuses: one line for people, of which little is repeated.
struct PushReply {
    private static let maximumLength = 200

    /// `: "…"`, or nothing when there is nothing that may be repeated.
    let quotation: String

    /// - Parameter secrets: texts that a reply may have been made to echo; one that does is not repeated at all.
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
