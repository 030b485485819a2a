// SPDX-License-Identifier: MIT

/// What every reply of the API says of itself: whether it worked. Some replies call the text `msg`, some `message`.
struct ReplyHeader {
    /// The members of a reply.
    enum Field: String, CaseIterable {
        case code, msg, message, total, data
    }

    static let fields = FieldTable<Field>()

    /// Whether the reply is an object at all.
    private(set) var isObject = false
    private var code: String?
    private var msg: String?
    private var message: String?

    /// What the server says, as it says it: secrets have to be taken out before it is cut.
    var text: String? { msg ?? message }

    /// Reads a reply.
    /// - Parameter member: reads the value of another member than those of the header.
    init(
        from reader: inout JSONReader,
        member: (Field, inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard try reader.enterObject() else {
            try reader.skipValue()
            return
        }
        isObject = true
        while let key = try reader.nextKey() {
            switch Self.fields.field(key, in: reader) {
            case .code: code = try reader.readIdentifier()
            case .msg: msg = try reader.readText(limit: .max)
            case .message: message = try reader.readText(limit: .max)
            case let field?: try member(field, &reader)
            case nil: try reader.skipValue()
            }
        }
    }

    /// - Throws: ``ReplyFault`` unless the code is that of success.
    func requireSuccess() throws(ReplyFault) {
        guard isObject else { throw .unexpected("it is no object") }
        switch code {
        case "000000": break
        case "401", "403": throw .refused(text)
        case let code?: throw .application(code: code, text: text)
        case nil: throw .unexpected("it has no code")
        }
    }
}
