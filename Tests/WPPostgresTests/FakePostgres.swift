// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A minimal PostgreSQL server (protocol version 3) on 127.0.0.1.
final class FakePostgres: Sendable {
    /// The reply to a test statement.
    enum Answer: Sendable {
        /// One row with one value.
        case value([UInt8])
        /// No reply: the server hangs.
        case nothing
        /// COPY data until the client closes.
        case copy
        /// A row that announces this many bytes, and sends them.
        case large(Int)
        /// A statement that leaves a transaction open.
        case begun
    }

    private struct State {
        var sessions = 0
        var ended = 0
        var sent = 0
        var startup: [UInt8] = []
        var bound: [String] = []
    }

    let port: UInt16
    private let descriptor: Int32
    private let answer: Answer
    private let fatalParameter: String?
    private let state = Mutex(State())

    /// The number of opened sessions.
    var sessions: Int { state.withLock(\.sessions) }
    /// Sessions closed by the client.
    var ended: Int { state.withLock(\.ended) }
    /// The sent bytes of a large reply.
    var sent: Int { state.withLock(\.sent) }
    /// The first message of the last session, as text.
    var startup: String { String(decoding: state.withLock(\.startup), as: UTF8.self) }

    /// The Bind messages, with the parameters of statements, as text.
    var bound: [String] { state.withLock(\.bound) }

    /// - Parameters:
    ///   - accepts: whether to accept connections; otherwise only the system's backlog does.
    ///   - parameter: closes a session when it receives a statement with this parameter.
    init(_ answer: Answer = .value(Array("1".utf8)), accepts: Bool = true, endsAt parameter: String? = nil) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(descriptor, pointer, length)
                _ = listen(descriptor, 1024)
                _ = getsockname(descriptor, pointer, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        self.descriptor = descriptor
        self.answer = answer
        fatalParameter = parameter
        guard accepts else { return }
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let self else { return }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private func serve(_ connection: Int32) {
        defer {
            close(connection)
            state.withLock { $0.ended += 1 }
        }
        guard let startup = Self.body(connection) else { return }
        state.withLock { ($0.sessions, $0.startup) = ($0.sessions + 1, startup) }
        let settings = ["client_encoding\0UTF8\0", "server_version\u{0}15.0\0"].flatMap {
            Self.message("S", Array($0.utf8))
        }
        let ready = Self.message("Z", Array("I".utf8))
        guard
            Self.send(
                Self.message("R", [0, 0, 0, 0]) + settings + Self.message("K", [0, 0, 0, 1, 0, 0, 0, 2]) + ready,
                connection
            )
        else { return }
        var statement = ""
        var types: Set<UInt8> = []
        while let type = Self.read(1, connection)?.first, let body = Self.body(connection) {
            if type == UInt8(ascii: "P") { statement = String(decoding: body, as: UTF8.self) }
            if type == UInt8(ascii: "B") {
                let text = String(decoding: body, as: UTF8.self)
                state.withLock { $0.bound.append(text) }
                if let fatalParameter, text.contains(fatalParameter) { return }
            }
            types.insert(type)
            guard type == UInt8(ascii: "S") else { continue }
            defer { types = [] }
            guard types.contains(UInt8(ascii: "B")) else {
                guard describe(types, connection) else { return }
                continue
            }
            let isOwn = statement.contains("set_config")
            guard respond(isOwn ? .value(Array("x".utf8)) : answer, connection) else { return }
        }
    }

    /// The description of a row with a text `v`.
    private static let rows = message(
        "T",
        [0, 1] + Array("v\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]
    )

    /// Replies to a statement that is only prepared or described.
    private func describe(_ types: Set<UInt8>, _ connection: Int32) -> Bool {
        var reply: [UInt8] = types.contains(UInt8(ascii: "P")) ? Self.message("1", []) : []
        if types.contains(UInt8(ascii: "D")) { reply += Self.message("t", [0, 0]) + Self.rows }
        return Self.send(reply + Self.message("Z", Array("I".utf8)), connection)
    }

    private func respond(_ answer: Answer, _ connection: Int32) -> Bool {
        let start = Self.message("1", []) + Self.message("2", [])
        let rows = Self.rows
        let end = Self.message("C", Array("SELECT 1\0".utf8))
        switch answer {
        case .value(let value):
            let row = Self.message("D", [0, 1] + Self.number(value.count) + value)
            return Self.send(start + rows + row + end + Self.message("Z", Array("I".utf8)), connection)
        case .begun:
            let begin = Self.message("n", []) + Self.message("C", Array("BEGIN\0".utf8))
            return Self.send(start + begin + Self.message("Z", Array("T".utf8)), connection)
        case .nothing: return true
        case .copy:
            guard Self.send(start + Self.message("H", [0, 0, 1, 0, 0]), connection) else { return false }
            let data = Self.message("d", [UInt8](repeating: 0x61, count: 8192))
            while Self.send(data, connection) {}
            return false
        case .large(let count):
            guard
                Self.send(
                    start + rows + Array("D".utf8) + Self.number(count + 10) + [0, 1] + Self.number(count),
                    connection
                )
            else { return false }
            let data = [UInt8](repeating: 0x61, count: 8192)
            for _ in 0..<(count / data.count) {
                guard Self.send(data, connection) else { return false }
                state.withLock { $0.sent += data.count }
            }
            return true
        }
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func message(_ type: String, _ body: [UInt8]) -> [UInt8] {
        Array(type.utf8) + number(body.count + 4) + body
    }

    private static func body(_ connection: Int32) -> [UInt8]? {
        guard let length = read(4, connection)?.reduce(0, { $0 << 8 | Int($1) }), length >= 4 else { return nil }
        return length == 4 ? [] : read(length - 4, connection)
    }

    private static func read(_ count: Int, _ connection: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(connection, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private static func send(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        write(connection, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.send(connection, $0) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
