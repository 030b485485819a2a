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
        try decode(body) { body, _ in try JSONDecoder().decode(LoginReply.self, from: body).token }
    }

    /// A page of the device list.
    /// - Parameter time: when the reply was complete.
    func devicePage(_ body: [UInt8], time: TimePoint) throws(ReplyFault) -> DevicePage {
        try decode(body) { body, outline in
            try JSONDecoder().decode(
                DevicePage.self,
                from: body,
                configuration: DeviceRecord.Context(time: time, survey: DeviceFieldSurvey(outline), secrets: secrets)
            )
        }
    }

    /// What a reply says in words, of one that is a failure by its status already; nil when it says nothing.
    func text(_ body: [UInt8]) -> String? {
        let header = try? decode(body) { body, _ in try JSONDecoder().decode(ReplyHeader.self, from: body) }
        return clean(header?.text)
    }

    private func decode<Value>(
        _ body: [UInt8],
        _ read: (Data, JSONOutline) throws -> Value
    ) throws(ReplyFault) -> Value {
        let first = body.first { $0 > 0x20 }
        guard let first else { throw .empty }
        guard first != UInt8(ascii: "<") else { throw .webPage }
        let outline: JSONOutline
        do {
            outline = try JSONSyntax.check(body)
        } catch {
            throw .malformed(error)
        }
        do {
            return try read(Data(body), outline)
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
