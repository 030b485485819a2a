// SPDX-License-Identifier: MIT

import WPModel

/// Why the body of a reply is invalid.
enum ReplyFault: Error, Hashable {
    /// There is no body.
    case empty
    /// It is a web page.
    case webPage
    /// It is not JSON, for this reason.
    case malformed(JSONParser.Fault)
    /// It is JSON, but not a reply of this API, for this reason.
    case unexpected(String)
    /// `code` rejects the token or the credentials, with the server's text.
    case rejected(String?)
    /// `code` is another error, with the server's text.
    case application(code: String, text: String?)
    /// The list is incomplete, for this reason.
    case incomplete(String)
    /// The list exceeds a limit.
    case tooLong(String)

    /// What is wrong, to end the sentence "Reading the devices failed: …".
    var problem: String {
        switch self {
        case .empty: "the server answered with an empty body"
        case .webPage: "the server answered with a web page (HTML) instead of JSON"
        case .malformed(let fault):
            "the answer is not valid JSON (\(fault.problem)\(fault.offset.map { ", at byte \($0)" } ?? ""))"
        case .unexpected(let problem): "the answer is JSON, but not a WinPower reply: \(problem)"
        case .rejected(let text): "the server rejected the request" + (text.map { ": \($0)" } ?? "")
        case .application(let code, let text):
            "WinPower answered with error code \(code)" + (text.map { ": \($0)" } ?? "")
        case .incomplete(let problem), .tooLong(let problem): problem
        }
    }

    /// How to fix it.
    var hint: DeviceSourceError.Hint {
        switch self {
        case .empty, .webPage, .unexpected: .checkServerAddress
        case .malformed: .checkProxy
        case .rejected: .checkCredentials
        case .application: .checkServerLog
        case .incomplete: .waitForNextReading
        case .tooLong: .narrowDeviceList
        }
    }
}

/// The envelope of API replies. Some call the text `msg`, some `message`.
struct ReplyHeader {
    private let code: String?
    /// The server's message.
    let text: String?

    init(_ reply: JSONObject) {
        code = reply.identifier("code")
        // Not truncated yet, because secrets are removed first.
        text = reply.text("msg", limit: .max) ?? reply.text("message", limit: .max)
    }

    /// - Throws: `ReplyFault` unless the code indicates success.
    func requireSuccess() throws(ReplyFault) {
        switch code {
        case "000000": break
        case "401", "403": throw ReplyFault.rejected(text)
        // Invalid bytes in it were replaced, so its meaning is unknown.
        case let code? where code.unicodeScalars.contains("\u{FFFD}"):
            throw ReplyFault.unexpected("its code is not UTF-8")
        case let code?: throw ReplyFault.application(code: code, text: text)
        case nil: throw ReplyFault.unexpected("it has no code")
        }
    }
}
