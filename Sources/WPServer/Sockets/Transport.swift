// SPDX-License-Identifier: MIT

import WPSockets
import WPHTTP

/// The transport of a connection, plain or TLS. No call blocks; the result says what to wait for.
protocol Transport {
    /// Whether ``prepare()`` must be called first.
    var needsPreparation: Bool { get }
    /// Loads the TLS context for the handshake; may read files.
    nonisolated(nonsending) func prepare() async
    /// Continues the handshake.
    func handshake() throws(TLSError) -> SocketStep
    /// Reads available bytes, at least one on success.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketStep
    /// Writes as many bytes as possible.
    func write(_ output: OutputBuffer) -> SocketStep
    /// Ends the sending side.
    func endSending()
    /// Whether it may buffer bytes that the poller does not see.
    var buffersInput: Bool { get }
    /// Whether to join parts before writing.
    var prefersJoinedOutput: Bool { get }
}

/// A plain TCP transport.
struct PlainTransport: Transport {
    let descriptor: Int32

    var buffersInput: Bool { false }
    var prefersJoinedOutput: Bool { false }
    var needsPreparation: Bool { false }

    nonisolated(nonsending) func prepare() async {}

    func handshake() -> SocketStep { .done(0) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketStep {
        SocketIO.receive(descriptor, into: buffer).step(.wantsRead)
    }

    func write(_ output: OutputBuffer) -> SocketStep {
        output.withParts { SocketIO.send(descriptor, $0).step(.wantsWrite) }
    }

    func endSending() {
        SocketOptions.endSending(descriptor)
    }
}
