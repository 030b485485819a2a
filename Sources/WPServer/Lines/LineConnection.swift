// SPDX-License-Identifier: MIT

import WPHTTP
import WPLogging
import WPSockets

/// A connection of a ``LineServer``: reads lines, answers them in order, and starts TLS on request.
///
/// Unchecked because it is used only on its loop's thread, on which its task runs.
final class LineConnection: @unchecked Sendable {
    private static let readSize = 4096

    let session: any LineSession
    private let core: LineServerCore
    private var stream: ConnectionStream
    private var isEncrypted = false
    /// When the peer last sent something.
    private(set) var idleSince: Duration

    init(_ channel: Channel, _ session: any LineSession, _ core: LineServerCore) {
        self.session = session
        self.core = core
        idleSince = core.loop.now
        let transport = PlainTransport(descriptor: channel.descriptor)
        stream = ConnectionStream(channel, transport, core.loop, core.limits.writeTimeout, readSize: Self.readSize)
    }

    var token: UInt64 { stream.channel.token }

    /// Starts the connection's task.
    func start() {
        core.loop.spawn { [self] in
            await serve()
            stream.channel.close()
            session.end()
            core.ended(self)
        }
    }

    /// Closes the connection without an answer.
    func close() {
        stream.channel.close()
    }

    private nonisolated(nonsending) func serve() async {
        do throws(ConnectionEnd) {
            while true {
                while let line = takeLine() {
                    guard try await answer(line) else { return await stream.finish(isHurried: false) }
                    await stream.yieldIfNeeded()
                }
                guard stream.input.count <= core.limits.maxLineBytes else {
                    try await stream.send(OutputBuffer(core.limits.oversizeAnswer))
                    return await stream.finish(isHurried: false)
                }
                stream.input.shrink()
                switch try await stream.receiveFirst(until: core.loop.now.advanced(by: core.limits.idleTimeout)) {
                case .bytes: idleSince = core.loop.now
                case .ended, .interrupted: return
                case .timedOut:
                    core.counters.update { $0.timeouts += 1 }
                    return
                }
            }
        } catch {
            switch error {
            case .lost, .rejected: break
            case .tooSlow: core.counters.update { $0.timeouts += 1 }
            case .handshake(let reason): handshakeFailed(reason)
            }
        }
    }

    /// - Returns: whether more lines may follow.
    private nonisolated(nonsending) func answer(_ line: [UInt8]) async throws(ConnectionEnd) -> Bool {
        let answer = await session.answer(line, isEncrypted: isEncrypted)
        guard stream.channel.isOpen else { throw .lost }
        try await stream.send(OutputBuffer(answer.bytes))
        switch answer.next {
        case .read: return true
        case .close: return false
        case .startTLS(let source):
            // Data sent before the handshake is not encrypted, and must not be processed as if it were.
            guard stream.input.isEmpty else { throw .handshake("the peer sent data before the handshake") }
            let transport = TLSTransport(source, descriptor: stream.channel.descriptor)
            stream = ConnectionStream(
                stream.channel,
                transport,
                core.loop,
                core.limits.writeTimeout,
                readSize: Self.readSize
            )
            stream.readDeadline = core.loop.now.advanced(by: core.limits.handshakeTimeout)
            try await stream.handshake()
            isEncrypted = true
            return true
        }
    }

    /// The next complete line, without its line feed.
    private func takeLine() -> [UInt8]? {
        let limit = core.limits.maxLineBytes
        let line = stream.input.withBytes { bytes -> [UInt8]? in
            guard let end = bytes.firstIndex(of: 0x0A), end <= limit else { return nil }
            return [UInt8](bytes[..<end])
        }
        if let line { stream.input.consume(line.count + 1) }
        return line
    }

    private func handshakeFailed(_ reason: String) {
        core.counters.update { $0.failedHandshakes += 1 }
        core.report(
            .handshake,
            .info,
            "A TLS handshake failed",
            [
                "reason": .string(reason),
                "peer": .string(SocketOptions.peer(of: stream.channel.descriptor) ?? "gone"),
            ]
        )
    }
}
