// SPDX-License-Identifier: MIT

import WPSockets
import WPHTTP

/// Moves a connection's bytes, plain or through TLS. No call blocks: each says what it waits for.
protocol Transport {
    /// Whether ``prepare()`` has to be called, once and first.
    var needsPreparation: Bool { get }
    /// Gets what the handshake needs; may take as long as a file.
    nonisolated(nonsending) func prepare() async
    /// Continues what comes before the first byte.
    func handshake() throws(TLSError) -> SocketStep
    /// Reads what is there, at least one byte when done.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketStep
    /// Writes as much as there is room for.
    func write(_ output: OutputBuffer) -> SocketStep
    /// Says that nothing more comes.
    func endSending()
    /// Whether bytes may wait inside, unseen by the poller, so that only reading finds them.
    var buffersInput: Bool { get }
    /// Whether one write of a joined buffer is better than one of several parts.
    var prefersJoinedOutput: Bool { get }
}

/// Bytes over TCP as they are.
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
