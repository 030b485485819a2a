// SPDX-License-Identifier: MIT

/// The replies to `LIST` and `GET`.
enum NUTQuery {
    private static let noDescription = "Description unavailable"

    static func list(_ words: [String], _ view: some NUTView) throws(NUTError) -> String {
        guard let kind = words.first?.asciiLowercased else { throw .invalidArgument }
        if kind == "ups" {
            return frame("UPS", view.upses.map { "UPS \($0.name) \(NUTWords.quote($0.description))" })
        }
        guard words.count >= 2 else { throw .invalidArgument }
        // Clients compare the reply with their request, so it repeats their spelling of the UPS.
        let ups = words[1]
        switch kind {
        case "var":
            let variables = try view.requireCurrent(ups).sorted { $0.key.rawValue < $1.key.rawValue }
            return frame(
                "VAR \(ups)",
                variables.map { "VAR \(ups) \($0.key.rawValue) \(NUTWords.quote($0.value.value))" }
            )
        case "rw", "cmd":
            _ = try view.requireCurrent(ups)
            return frame("\(kind.uppercased()) \(ups)", [])
        case "client":
            let name = try view.requireKnown(ups)
            return frame("CLIENT \(ups)", view.clients(of: name).map { "CLIENT \(ups) \($0)" })
        case "enum", "range":
            guard words.count >= 3 else { throw .invalidArgument }
            guard try view.requireCurrent(ups)[anyCase: words[2]] != nil else { throw .variableNotSupported }
            return frame("\(kind.uppercased()) \(ups) \(words[2])", [])
        default:
            throw .invalidArgument
        }
    }

    private static func frame(_ query: String, _ lines: [String]) -> String {
        var reply = "BEGIN LIST \(query)\n"
        for line in lines { reply += line + "\n" }
        return reply + "END LIST \(query)\n"
    }

    static func get(_ words: [String], _ view: some NUTView) throws(NUTError) -> String {
        guard let kind = words.first?.asciiLowercased else { throw .invalidArgument }
        if kind == "tracking" {
            guard words.count == 1 else { throw .featureNotConfigured }
            return "OFF\n"
        }
        guard words.count >= 2 else { throw .invalidArgument }
        let ups = words[1]
        switch kind {
        case "numlogins":
            // Unlike in upsd, this does not depend on the state of the UPS: a primary that waits for its secondaries
            // needs the number even if the WinPower machine has already shut down.
            let name = try view.requireKnown(ups)
            return "NUMLOGINS \(ups) \(view.clients(of: name).count)\n"
        case "upsdesc":
            let name = try view.requireKnown(ups)
            let description = view.upses.first { $0.name == name }?.description ?? ""
            return "UPSDESC \(ups) \(NUTWords.quote(description.isEmpty ? "Unavailable" : description))\n"
        default: break
        }
        guard words.count >= 3 else { throw .invalidArgument }
        let subject = words[2]
        // The reply contains it verbatim.
        guard subject.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) else {
            throw .invalidArgument
        }
        switch kind {
        case "var":
            return "VAR \(ups) \(subject) \(NUTWords.quote(try value(of: subject.asciiLowercased, ups, view)))\n"
        case "type":
            guard let variable = try view.requireCurrent(ups)[anyCase: subject] else { throw .variableNotSupported }
            return "TYPE \(ups) \(subject) \(variable.kind == .number ? "NUMBER" : "STRING:\(maxTextBytes)")\n"
        case "desc":
            _ = try view.requireCurrent(ups)
            let description = NUTVariableName(anyCase: subject)?.description ?? noDescription
            return "DESC \(ups) \(subject) \(NUTWords.quote(description))\n"
        case "cmddesc":
            _ = try view.requireCurrent(ups)
            return "CMDDESC \(ups) \(subject) \(NUTWords.quote(noDescription))\n"
        default:
            throw .invalidArgument
        }
    }

    /// The maximum size of a variable's text, in bytes.
    static let maxTextBytes = 256

    private static func value(of name: String, _ ups: String, _ view: some NUTView) throws(NUTError) -> String {
        // The server's own variables do not depend on the state of a UPS.
        _ = try view.requireKnown(ups)
        switch name {
        case "server.info": return view.serverInfo
        case "server.version": return view.serverVersion
        default: break
        }
        guard let variable = try view.requireCurrent(ups)[anyCase: name] else { throw .variableNotSupported }
        return variable.value
    }
}
