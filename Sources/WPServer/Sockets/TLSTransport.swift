// SPDX-License-Identifier: MIT

import WPSockets
import WPHTTP

/// A TLS transport. After the handshake, a TLS error is treated as the end of the connection.
///
/// Unchecked because it is used only on its loop's thread, like its connection.
final class TLSTransport: Transport, @unchecked Sendable {
    private let source: any TLSContextSource
    private let descriptor: Int32
    private var context: TLSContext?
    private var session: TLSSession?

    init(_ source: any TLSContextSource, descriptor: Int32) {
        self.source = source
        self.descriptor = descriptor
    }

    var buffersInput: Bool { true }
    var prefersJoinedOutput: Bool { true }

    /// A constant context is available immediately, but reading files may hang.
    var needsPreparation: Bool { !(source is TLSContext) }

    nonisolated(nonsending) func prepare() async {
        context = await source.context()
    }

    func handshake() throws(TLSError) -> SocketStep {
        if session == nil, let context = context ?? (source as? TLSContext) {
            session = try TLSSession(server: context, descriptor: descriptor)
            self.context = nil
        }
        return try session?.handshake() ?? .closed
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketStep {
        // lint: a session that fails is closed
        (try? session?.read(into: buffer)) ?? .closed
    }

    func write(_ output: OutputBuffer) -> SocketStep {
        // lint: a session that fails is closed
        output.withFirstPart { (try? session?.write($0)) ?? .closed }
    }

    func endSending() {
        session?.sendClose()
        SocketOptions.endSending(descriptor)
    }
}
