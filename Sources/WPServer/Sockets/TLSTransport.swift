// SPDX-License-Identifier: MIT

import WPHTTP

/// Bytes through TLS. A fault of the peer after the handshake ends the connection like its end does.
///
/// Unchecked because it belongs to its loop's thread, as its connection does.
final class TLSTransport: Transport, @unchecked Sendable {
    private let source: any TLSContextSource
    private let descriptor: Int32
    private var session: TLSSession?

    init(_ source: any TLSContextSource, descriptor: Int32) {
        self.source = source
        self.descriptor = descriptor
    }

    var buffersInput: Bool { true }
    var prefersJoinedOutput: Bool { true }

    nonisolated(nonsending) func prepare() async throws(TLSError) {
        session = try TLSSession(server: await source.context(), descriptor: descriptor)
    }

    func handshake() throws(TLSError) -> TLSSession.Step {
        try session?.handshake() ?? .closed
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Step {
        (try? session?.read(into: buffer)) ?? .closed
    }

    func write(_ output: OutputBuffer) -> TLSSession.Step {
        output.withFirstPart { (try? session?.write($0)) ?? .closed }
    }

    func endSending() {
        session?.sendClose()
        SocketOptions.endSending(descriptor)
    }
}
