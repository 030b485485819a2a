// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// Decodes the bodies of replies.
struct ReplyDecoder: Sendable {
    private let secrets: [Secret]

    /// - Parameter secrets: secrets that must not appear in an error, even if the server repeats them.
    init(hiding secrets: [Secret] = []) {
        self.secrets = secrets
    }

    /// The token in the reply to a login.
    func token(_ body: [UInt8]) throws(ReplyFault) -> Secret {
        try decode(body) { (reply, _) throws(ReplyFault) in try LoginReply(reply).token }
    }

    /// A page of the device list.
    /// - Parameter time: when the reply was received.
    func devicePage(_ body: [UInt8], time: TimePoint) throws(ReplyFault) -> DevicePage {
        try decode(body) { (reply, isRepaired) throws(ReplyFault) in
            try DevicePage(reply, DeviceRecord.Context(time: time, isRepaired: isRepaired, secrets: secrets))
        }
    }

    /// The message of a reply with an error status; nil if there is none.
    func text(_ body: [UInt8]) -> String? {
        clean((try? decode(body) { (reply, _) throws(ReplyFault) in ReplyHeader(reply) })?.text)
    }

    /// - Parameter read: creates the value of a reply; its last argument is whether invalid Unicode in any string was
    ///   replaced by U+FFFD.
    private func decode<Value>(
        _ body: [UInt8],
        _ read: (JSONObject, Bool) throws(ReplyFault) -> Value
    ) throws(ReplyFault) -> Value {
        let first = body.first { $0 > 0x20 }
        guard let first else { throw .empty }
        guard first != UInt8(ascii: "<") else { throw .webPage }
        let parsed: (value: JSONValue, isRepaired: Bool)
        do throws(JSONParser.Fault) {
            parsed = try JSONParser.parse(body)
        } catch {
            throw .malformed(error)
        }
        guard let reply = parsed.value.object else { throw .unexpected("it is not an object") }
        do throws(ReplyFault) {
            return try read(reply, parsed.isRepaired)
        } catch .rejected(let text) {
            throw .rejected(clean(text))
        } catch .application(let code, let text) {
            throw .application(code: ServerText.clean(code, hiding: secrets, limit: 32), text: clean(text))
        } catch {
            throw error
        }
    }

    private func clean(_ text: String?) -> String? {
        text.map { ServerText.clean($0, hiding: secrets) }
    }
}

/// The reply to a login.
struct LoginReply {
    /// `data.token`.
    let token: Secret

    /// The maximum size of a token, so that request headers stay within the limits of servers.
    private static let maximumBytes = 16_384

    init(_ reply: JSONObject) throws(ReplyFault) {
        try ReplyHeader(reply).requireSuccess()
        guard case .text(let text) = reply.object("data")["token"], !text.isEmpty else {
            throw .unexpected("it reports a successful login, but contains no token")
        }
        // It is sent in a header: visible ASCII only (RFC 6750, section 2.1).
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .unexpected("its token has characters that a header cannot contain")
        }
        token = Secret(text)
    }
}
