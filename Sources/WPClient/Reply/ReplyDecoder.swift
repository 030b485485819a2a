// SPDX-License-Identifier: MIT

import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns bodies of replies into values.
struct ReplyDecoder: Sendable {
    private let secrets: [Secret]

    /// - Parameter secrets: what must not stand in an error, even when the server repeats it.
    init(hiding secrets: [Secret] = []) {
        self.secrets = secrets
    }

    /// The token of a log-in's reply.
    func token(_ body: [UInt8]) throws(ReplyFault) -> Secret {
        try decode(body) { try JSONDecoder().decode(LoginReply.self, from: $0).token }
    }

    /// A page of the device list.
    /// - Parameter time: when the reply was complete.
    func devicePage(_ body: [UInt8], time: TimePoint) throws(ReplyFault) -> DevicePage {
        try decode(body) { try JSONDecoder().decode(DevicePage.self, from: $0, configuration: time) }
    }

    /// What a reply says in words, of one that is a failure by its status already; nil when it says nothing.
    func text(_ body: [UInt8]) -> String? {
        let header = try? decode(body) { try JSONDecoder().decode(ReplyHeader.self, from: $0) }
        return clean(header?.text)
    }

    private func decode<Value>(_ body: [UInt8], _ read: (Data) throws -> Value) throws(ReplyFault) -> Value {
        let first = body.first { $0 > 0x20 }
        guard let first else { throw .empty }
        guard first != UInt8(ascii: "<") else { throw .webPage }
        do {
            try JSONSyntax.check(body)
        } catch {
            throw .malformed(error)
        }
        do {
            return try read(Data(body))
        } catch ReplyFault.refused(let text) {
            throw .refused(clean(text))
        } catch ReplyFault.application(let code, let text) {
            throw .application(code: ServerText.clean(code, hiding: secrets, limit: 32), text: clean(text))
        } catch let fault as ReplyFault {
            throw fault
        } catch {
            throw .unexpected("it is no object")
        }
    }

    private func clean(_ text: String?) -> String? {
        text.map { ServerText.clean($0, hiding: secrets) }
    }
}
