// SPDX-License-Identifier: MIT

import WPModel

/// The reply to a login.
struct LoginReply: Decodable {
    /// `data.token`.
    let token: Secret

    /// The largest token that is taken: a request's header section with it must stay within what servers take.
    private static let maximumBytes = 16_384

    private enum Key: String, CodingKey { case data }
    private enum DataKey: String, CodingKey { case token }

    init(from decoder: any Decoder) throws {
        try ReplyHeader(from: decoder).requireSuccess()
        guard
            let data = try? decoder.container(keyedBy: Key.self).nestedContainer(keyedBy: DataKey.self, forKey: .data),
            let text = try? data.decode(String.self, forKey: .token), !text.isEmpty
        else { throw ReplyFault.unexpected("it says that the login worked, but holds no token") }
        // It goes into a header: visible ASCII only (RFC 6750, section 2.1).
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ReplyFault.unexpected("its token cannot stand in a header")
        }
        token = Secret(text)
    }
}
