// SPDX-License-Identifier: MIT

/// A response parsed naively, without the server's code.
struct Reply: Sendable {
    var statusLine: String
    /// Names in lower case.
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// Whether the body is complete: by its length, its last chunk, or the end of the connection.
    var isComplete: Bool

    var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension RawConnection {
    /// Reads one response. An orderly end in the middle returns an incomplete one; a reset is an error.
    func readReply(toHead: Bool = false) throws -> Reply {
        var bytes: [UInt8] = []
        while true {
            if let end = find(Array("\r\n\r\n".utf8), in: bytes, from: 0) {
                return try readBody(Array(bytes[..<end]), Array(bytes[(end + 4)...]), isHead: toHead)
            }
            let more = try receive()
            guard !more.isEmpty else { throw ClientFailure("closed within the head, after \(bytes.count) bytes") }
            bytes += more
        }
    }

    private func readBody(_ head: [UInt8], _ rest: [UInt8], isHead: Bool) throws -> Reply {
        var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let statusLine = String(lines.removeFirst())
        let headers = lines.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (name: line[..<colon].lowercased(), value: String(line[colon...].dropFirst().drop { $0 == " " }))
        }
        var reply = Reply(statusLine: statusLine, headers: headers, body: [], isComplete: true)
        if isHead || reply.status < 200 || reply.status == 204 || reply.status == 304 {
            putBack(rest)
        } else if reply["transfer-encoding"] == "chunked" {
            try readChunks(rest, into: &reply)
        } else if let length = reply["content-length"].flatMap({ Int($0) }) {
            var body = rest
            while body.count < length {
                let more = try receive()
                if more.isEmpty { break }
                body += more
            }
            reply.isComplete = body.count >= length
            reply.body = Array(body.prefix(length))
            putBack(Array(body.dropFirst(length)))
        } else {
            reply.body = rest + (try receiveToEnd())
        }
        return reply
    }

    private func readChunks(_ rest: [UInt8], into reply: inout Reply) throws {
        var bytes = rest
        var offset = 0
        while true {
            if let line = find([13, 10], in: bytes, from: offset) {
                let text = String(decoding: bytes[offset..<line], as: UTF8.self)
                guard let size = Int(text, radix: 16) else { throw ClientFailure("a chunk of size \(text)") }
                let end = line + 2 + size + 2
                if bytes.count >= end {
                    reply.body += bytes[(line + 2)..<(line + 2 + size)]
                    offset = end
                    guard size > 0 else {
                        putBack(Array(bytes[end...]))
                        return
                    }
                    continue
                }
            }
            let more = try receive()
            guard !more.isEmpty else {
                reply.isComplete = false
                return
            }
            bytes += more
        }
    }

    private func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= pattern.count else { return nil }
        return (start...(bytes.count - pattern.count)).first { bytes[$0..<($0 + pattern.count)].elementsEqual(pattern) }
    }
}
