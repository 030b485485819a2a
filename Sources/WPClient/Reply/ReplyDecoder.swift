// SPDX-License-Identifier: MIT

import WPModel

/// Turns bodies of replies into values.
///
/// A reply that is damaged anywhere is not to be trusted, so each is read to its end before any of it counts.
struct ReplyDecoder: Sendable {
    private let secrets: [Secret]

    /// - Parameter secrets: what must not stand in an error, even when the server repeats it.
    init(hiding secrets: [Secret] = []) {
        self.secrets = secrets
    }

    /// The token of a log-in's reply.
    func token(_ body: [UInt8]) throws(ReplyFault) -> Secret {
        let reply = try read(body) { (reader) throws(JSONFault) in try LoginReply(from: &reader) }
        try check(reply.header)
        return try reply.token()
    }

    /// A page of the device list.
    /// - Parameters:
    ///   - time: when the reply was complete.
    ///   - maximumCount: the most devices that are kept.
    func devicePage(
        _ body: [UInt8],
        time: TimePoint,
        maximumCount: Int = .max
    ) throws(ReplyFault) -> DevicePage {
        let reply = try read(body) { (reader) throws(JSONFault) in
            try DeviceListReply(from: &reader, time: time, maximumCount: maximumCount)
        }
        try check(reply.header)
        return try reply.page()
    }

    /// What a reply says in words, of one that is a failure by its status already; nil when it says nothing.
    func text(_ body: [UInt8]) -> String? {
        let header = try? read(body) { (reader) throws(JSONFault) in
            try ReplyHeader(from: &reader) { (_, reader) throws(JSONFault) in try reader.skipValue() }
        }
        return clean(header?.text)
    }

    private func read<Reply>(
        _ body: [UInt8],
        _ make: (inout JSONReader) throws(JSONFault) -> Reply
    ) throws(ReplyFault) -> Reply {
        let first = body.first { $0 > 0x20 }
        guard let first else { throw .empty }
        guard first != UInt8(ascii: "<") else { throw .webPage }
        var reader = JSONReader(body)
        do {
            let reply = try make(&reader)
            try reader.finish()
            return reply
        } catch {
            throw .malformed(error)
        }
    }

    private func check(_ header: ReplyHeader) throws(ReplyFault) {
        do {
            try header.requireSuccess()
        } catch {
            switch error {
            case .refused(let text):
                throw .refused(clean(text))
            case .application(let code, let text):
                throw .application(code: ServerText.clean(code, hiding: secrets, limit: 32), text: clean(text))
            default:
                throw error
            }
        }
    }

    private func clean(_ text: String?) -> String? {
        text.map { ServerText.clean($0, hiding: secrets) }
    }
}
