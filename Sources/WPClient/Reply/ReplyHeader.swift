// SPDX-License-Identifier: MIT

/// What every reply of the API begins with: whether it worked. Some replies call the text `msg`, some `message`.
struct ReplyHeader: Decodable {
    private let code: String?
    /// What the server says.
    let text: String?

    private enum Key: String, CodingKey { case code, msg, message }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = container.identifier(.code)
        // Not cut yet: secrets are taken out first.
        text = container.text(.msg, limit: .max) ?? container.text(.message, limit: .max)
    }

    /// - Throws: `ReplyFault` unless the code is that of success.
    func requireSuccess() throws {
        switch code {
        case "000000": break
        case "401", "403": throw ReplyFault.refused(text)
        case let code?: throw ReplyFault.application(code: code, text: text)
        case nil: throw ReplyFault.unexpected("it has no code")
        }
    }
}
