// SPDX-License-Identifier: MIT

import Testing
import WPGzip
import WPHTTP
import WPTestKit

/// A server fault on the wire.
struct WireFault: Sendable, CustomTestStringConvertible {
    /// Where the fault occurs.
    enum Stage: Sendable {
        /// There is no server.
        case noServer
        /// On a connection, before reading.
        case connection
        /// In the answer to the device list.
        case answer
    }

    var name: String
    var stage: Stage
    /// Whether the client uses TLS, with a server whose authority it trusts.
    var isSecure = false
    /// Whether the exchange ends with its timeout.
    var isSlow = false
    /// The number of occurrences; then the server recovers.
    var times = Int.max
    /// Performs the fault. Returns whether the connection remains usable.
    var act: @Sendable (ScriptedPeer) -> Bool

    var testDescription: String { name }

    private init(
        _ name: String,
        _ stage: Stage = .answer,
        isSecure: Bool = false,
        isSlow: Bool = false,
        times: Int = .max,
        _ act: @escaping @Sendable (ScriptedPeer) -> Bool
    ) {
        self.name = name
        self.stage = stage
        self.isSecure = isSecure
        self.isSlow = isSlow
        self.times = times
        self.act = act
    }

    /// Answers the device list with these bytes and keeps the connection.
    private static func sending(_ name: String, times: Int = .max, _ bytes: [UInt8]) -> WireFault {
        WireFault(name, times: times) { peer in
            peer.send(bytes)
            return true
        }
    }

    /// A complete answer with this body.
    private static func body(_ name: String, times: Int = .max, _ text: String, type: String = "application/json")
        -> WireFault
    {
        sending(name, times: times, WireReply.whole(Array(text.utf8), type: type))
    }

    private static func status(_ code: Int, _ fields: String = "") -> WireFault {
        sending("HTTP \(code)", WireReply.whole(Array("{}".utf8), status: "\(code) Status", fields: fields))
    }

    /// Answers with this text, and then ends the connection with `end`.
    private static func broken(
        _ name: String,
        after text: String,
        isSlow: Bool = false,
        _ end: @escaping @Sendable (ScriptedPeer) -> Void
    ) -> WireFault {
        WireFault(name, isSlow: isSlow) { peer in
            peer.send(text)
            end(peer)
            return false
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    private static let list = Samples.deviceList
    private static let length = "Content-Length: \(list.utf8.count)\r\n\r\n"
    private static let half = String(list.prefix(list.utf8.count / 2))

    /// All faults, in the order of the table.
    static let all: [WireFault] = connecting + breaking + silent + framing + contents + meanings + secure

    private static let connecting = [
        WireFault("nothing listens", .noServer) { _ in false },
        // After the first bytes of the request: an earlier reset could fail the connect itself.
        WireFault("reset when the request arrives", .connection) { peer in
            peer.readSome()
            peer.reset()
            return false
        },
        WireFault("closed on connecting", .connection) { _ in false },
        WireFault("silence on connecting", .connection, isSlow: true) { peer in
            peer.waitForEnd()
            return false
        },
        WireFault("another protocol (SSH)", .connection) { peer in
            peer.send("SSH-2.0-OpenSSH_9.2\r\n")
            peer.waitForEnd()
            return false
        },
        WireFault("TLS where HTTP was expected", .connection) { peer in
            peer.readSome()
            peer.send([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])
            return false
        },
    ]

    private static let breaking = [
        broken("reset before the reply", after: "") { $0.reset() },
        broken("reset within the status line", after: "HTTP/1.1 2") { $0.reset() },
        broken("reset within the header fields", after: head + "Content-Le") { $0.reset() },
        broken("reset within the body", after: head + length + half) { $0.reset() },
        broken("closed before the reply", after: "") { $0.close() },
        broken("closed within the header fields", after: head + "Content-Le") { $0.close() },
        broken("body shorter than Content-Length", after: head + length + half) { $0.close() },
        broken("chunked body without its end", after: head + WireReply.chunked(half)) { $0.close() },
        broken("connection kept, then closed unannounced", after: "") { $0.close() }.once(),
    ]

    private static let silent = [
        broken("silence before the reply", after: "", isSlow: true) { $0.waitForEnd() },
        broken("silence within the header fields", after: head, isSlow: true) { $0.waitForEnd() },
        broken("silence within the body", after: head + length + half, isSlow: true) { $0.waitForEnd() },
        broken("header fields byte by byte", after: "", isSlow: true) { $0.drip(head + length + list, every: 50_000) },
        broken("body byte by byte", after: head + length, isSlow: true) { $0.drip(list, every: 50_000) },
    ]

    private static let framing = [
        sending("body longer than Content-Length", Array((head + "Content-Length: 100\r\n\r\n" + list).utf8)),
        sending("Content-Length that is not a number", Array((head + "Content-Length: ten\r\n\r\n" + list).utf8)),
        sending("two Content-Lengths", Array((head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}").utf8)),
        sending(
            "Content-Length and chunked coding",
            Array((head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").utf8)
        ),
        sending("chunk size that is not a number", Array((head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n").utf8)),
        sending("HTTP/2", Array("HTTP/2 200 OK\r\n\r\n".utf8)),
        sending("header field without a colon", Array("HTTP/1.1 200 OK\r\nno colon\r\n\r\n".utf8)),
        sending("header fields beyond 64 KiB", Array((head + WireReply.manyFields + "\r\n").utf8)),
        sending("announced body beyond the limit", Array((head + "Content-Length: 99999999\r\n\r\n").utf8)),
        WireFault("endless body") { peer in
            peer.send(head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n"
            while peer.send(chunk) {}
            return false
        },
        sending("interim responses before the reply", WireReply.interim(2) + WireReply.whole(Array(list.utf8))),
        sending("interim responses without end", WireReply.interim(100)),
        sending("unsolicited HTTP 101", Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n".utf8)),
        sending("gzip", WireReply.compressed(Array(list.utf8))),
        sending("gzip bomb", WireReply.compressed([UInt8](repeating: 0x20, count: 8 << 20))),
        sending("damaged gzip", WireReply.compressed(Array(list.utf8)) { $0[$0.count / 2] ^= 0xFF }),
        sending("gzip without its end", WireReply.compressed(Array(list.utf8)) { $0.removeLast(20) }),
    ]

    private static let contents = [
        body("JSON under another content type", list, type: "text/plain"),
        sending(
            "an image",
            WireReply.whole([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0xFF], type: "image/png")
        ),
        body("empty body", ""),
        body("HTML", "<!DOCTYPE html><html><body>Sign in</body></html>", type: "text/html"),
        body("half of the JSON", half),
        body("trailing data after the JSON", list + "x"),
        sending("invalid UTF-8", WireReply.whole(Array(#"{"code":"000000","msg":""#.utf8) + [0xC0, 0xAF, 0x22, 0x7D])),
        body("200,000 opening brackets", String(repeating: "[", count: 200_000)),
        body("duplicate keys", #"{"code":"1","total":0,"total":0,"data":null,"data":[],"code":"000000"}"#),
        body("an array", "[]"),
        body("an object without a code", "{}"),
        body("success without devices or a total", #"{"code":"000000"}"#),
        body("devices in another shape", #"{"code":"000000","total":1,"data":{"d":1}}"#),
        body("a total that is never reached", Samples.page(1...2, total: 5)),
    ]

    private static let meanings =
        [status(204)] + [301, 302, 307, 308].map { status($0, "Location: http://127.0.0.1:1/\r\n") }
        + [400, 404, 408, 429, 500, 502, 503].map { status($0) }
        + [
            body("error code of the application", #"{"code":"100010","msg":"no such area"}"#),
            sending(
                "token rejected once, by HTTP 401",
                times: 1,
                WireReply.whole(Array(Samples.rejected401.utf8), status: "401 Unauthorized")
            ),
            body("token rejected once, by code 401", times: 1, Samples.rejected200),
            sending(
                "token rejected permanently, by HTTP 401",
                WireReply.whole(Array(Samples.rejected401.utf8), status: "401 Unauthorized")
            ),
            body("token rejected permanently, by code 401", Samples.rejected200),
        ]

    private static func presenting(_ name: String, _ certificate: any KeyPath<WireCertificates, TLSContext> & Sendable)
        -> WireFault
    {
        WireFault(name, .connection, isSecure: true) { peer in
            guard let certificates = try? WireCertificates.shared.get() else { return false }
            peer.startTLS(certificates[keyPath: certificate])
            peer.waitForEnd()
            return false
        }
    }

    private static let secure = [
        presenting("expired certificate", \.expired),
        presenting("certificate that is not yet valid", \.future),
        presenting("certificate of an unknown authority", \.stranger),
        presenting("self-signed certificate", \.selfSigned),
        presenting("certificate for another name", \.otherName),
        WireFault("HTTP instead of TLS", .connection, isSecure: true) { peer in
            peer.readSome()
            peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return false
        },
        WireFault("closed during the handshake", .connection, isSecure: true) { peer in
            peer.readSome()
            return false
        },
        WireFault("reset during the handshake", .connection, isSecure: true) { peer in
            peer.readSome()
            peer.reset()
            return false
        },
        WireFault("silence during the handshake", .connection, isSecure: true, isSlow: true) { peer in
            peer.waitForEnd()
            return false
        },
    ]

    /// The same fault, but only once.
    private func once() -> WireFault {
        var fault = self
        fault.times = 1
        return fault
    }
}

/// Raw replies.
enum WireReply {
    static func whole(
        _ body: [UInt8],
        status: String = "200 OK",
        type: String = "application/json",
        fields: String = ""
    ) -> [UInt8] {
        let length = status.hasPrefix("204") ? "" : "Content-Length: \(body.count)\r\n"
        let head = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(fields)\(length)\r\n"
        return Array(head.utf8) + (length.isEmpty ? [] : body)
    }

    static func compressed(_ body: [UInt8], damage: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        var bytes = (try? Gzip.compress(body)) ?? []
        damage(&bytes)
        return whole(bytes, fields: "Content-Encoding: gzip\r\n")
    }

    /// One chunk without an end.
    static func chunked(_ text: String) -> String {
        "Transfer-Encoding: chunked\r\n\r\n\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    static func interim(_ count: Int) -> [UInt8] {
        Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: count).utf8)
    }

    static let manyFields = String(repeating: "X-Field: \(String(repeating: "x", count: 1000))\r\n", count: 80)
}
