// SPDX-License-Identifier: MIT

import WPModel

/// The reply to a log-in.
struct LoginReply {
    private enum DataField: String, CaseIterable {
        case token
    }

    let header: ReplyHeader
    /// `data.token`, whatever it is.
    private let text: String?

    /// The largest token that is taken: a request's header section with it must stay within what servers take.
    private static let maximumBytes = 16_384

    init(from reader: inout JSONReader) throws(JSONFault) {
        let fields = FieldTable<DataField>()
        var text: String?
        header = try ReplyHeader(from: &reader) { (field, reader) throws(JSONFault) in
            guard field == .data, try reader.enterObject() else { return try reader.skipValue() }
            while let key = try reader.nextKey() {
                let scalar = try reader.readScalar()
                guard fields.field(key, in: reader) == .token else { continue }
                if case .text(let value) = scalar { text = reader.string(value) } else { text = nil }
            }
        }
        self.text = text
    }

    /// The token.
    func token() throws(ReplyFault) -> Secret {
        guard let text, !text.isEmpty else {
            throw .unexpected("it says that the log-in worked, but holds no token")
        }
        // It goes into a header: visible ASCII only (RFC 6750, section 2.1).
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .unexpected("its token cannot stand in a header")
        }
        return Secret(text)
    }
}
