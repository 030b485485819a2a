// SPDX-License-Identifier: MIT

import WPModel

/// Why the body of a reply is not what was asked for.
enum ReplyFault: Error, Hashable {
    /// There is no body.
    case empty
    /// It is a web page.
    case webPage
    /// It is not JSON, for this reason.
    case malformed(JSONSyntax.Fault)
    /// It is JSON, but not a reply of this API, for this reason.
    case unexpected(String)
    /// `code` says that the token or the credentials are refused; the server's text goes with it.
    case refused(String?)
    /// `code` is another than that of success; the server's text goes with it.
    case application(code: String, text: String?)
    /// The pages do not make up a whole list, for this reason.
    case incomplete(String)
    /// The list goes beyond a limit, which this names.
    case tooLong(String)

    /// What is wrong, to end the sentence "Reading the devices failed: …".
    var problem: String {
        switch self {
        case .empty: "the server answered with an empty body"
        case .webPage: "the server answered with a web page (HTML) instead of JSON"
        case .malformed(let fault):
            "the answer is not valid JSON (\(fault.problem)\(fault.offset.map { ", at byte \($0)" } ?? ""))"
        case .unexpected(let problem): "the answer is JSON, but no WinPower reply: \(problem)"
        case .refused(let text): "the server refused the request" + (text.map { ": \($0)" } ?? "")
        case .application(let code, let text):
            "WinPower answered with error code \(code)" + (text.map { ": \($0)" } ?? "")
        case .incomplete(let problem), .tooLong(let problem): problem
        }
    }

    /// What to do about it.
    var hint: DeviceSourceError.Hint {
        switch self {
        case .empty, .webPage, .unexpected: .checkServerAddress
        case .malformed: .checkProxy
        case .refused: .checkCredentials
        case .application: .checkServerLog
        case .incomplete: .waitForNextReading
        case .tooLong: .narrowDeviceList
        }
    }
}
