// SPDX-License-Identifier: MIT

import WPHTTP

/// Bytes through TLS. A fault of the peer after the handshake ends the connection like its end does.
struct TLSTransport: Transport {
    let session: TLSSession
    let descriptor: Int32

    var buffersInput: Bool { true }
    var prefersJoinedOutput: Bool { true }

    func handshake() throws(TLSError) -> TLSSession.Step {
        try session.handshake()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Step {
        (try? session.read(into: buffer)) ?? .closed
    }

    func write(_ output: OutputBuffer) -> TLSSession.Step {
        output.withFirstPart { (try? session.write($0)) ?? .closed }
    }

    func endSending() {
        session.sendClose()
        SocketOptions.endSending(descriptor)
    }
}
