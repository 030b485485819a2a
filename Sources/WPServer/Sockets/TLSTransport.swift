// SPDX-License-Identifier: MIT

import WPSockets
import WPHTTP

/// Bytes through TLS. A fault of the peer after the handshake ends the connection like its end does.
///
/// Unchecked because it belongs to its loop's thread, as its connection does.
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

    /// A context that never changes is there at once; the files of another one may be on a disk that hangs.
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
        (try? session?.read(into: buffer)) ?? .closed
    }

    func write(_ output: OutputBuffer) -> SocketStep {
        output.withFirstPart { (try? session?.write($0)) ?? .closed }
    }

    func endSending() {
        session?.sendClose()
        SocketOptions.endSending(descriptor)
    }
}
