// SPDX-License-Identifier: MIT

import WPSockets

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
