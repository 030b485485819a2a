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

    /// The token of a login's reply.
    func token(_ body: [UInt8]) throws(ReplyFault) -> Secret {
        try decode(body) { body, _, _ in try JSONDecoder().decode(LoginReply.self, from: body).token }
    }

    /// A page of the device list.
    /// - Parameter time: when the reply was complete.
    func devicePage(_ body: [UInt8], time: TimePoint) throws(ReplyFault) -> DevicePage {
        try decode(body) { body, outline, isRepaired in
            try JSONDecoder().decode(
                DevicePage.self,
                from: body,
                configuration: DeviceRecord.Context(
                    time: time,
                    survey: DeviceFieldSurvey(outline),
                    isRepaired: isRepaired,
                    secrets: secrets
                )
            )
        }
    }

    /// What a reply says in words, of one that is a failure by its status already; nil when it says nothing.
    func text(_ body: [UInt8]) -> String? {
        let header = try? decode(body) { body, _, _ in try JSONDecoder().decode(ReplyHeader.self, from: body) }
        return clean(header?.text)
    }

    /// - Parameter read: makes the value of a sound text, of which it is told whether bytes that are not UTF-8 were
    ///   replaced by U+FFFD in its strings.
    private func decode<Value>(
        _ body: [UInt8],
        _ read: (Data, JSONOutline, Bool) throws -> Value
    ) throws(ReplyFault) -> Value {
        let first = body.first { $0 > 0x20 }
        guard let first else { throw .empty }
        guard first != UInt8(ascii: "<") else { throw .webPage }
        var text = body
        var isRepaired = false
        let outline: JSONOutline
        do throws(JSONSyntax.Fault) {
            do throws(JSONSyntax.Fault) {
                outline = try JSONSyntax.check(text)
            } catch {
                // One byte in one device's name must not cost the whole fleet.
                guard error.isOnlyEncoding else { throw error }
                text = Array(String(decoding: body, as: UTF8.self).utf8)
                isRepaired = true
                outline = try JSONSyntax.check(text)
            }
        } catch {
            throw .malformed(error)
        }
        do {
            return try read(Data(text), outline, isRepaired)
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
