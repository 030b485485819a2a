// SPDX-License-Identifier: MIT

import WPHTTP

/// Bytes through TLS. A fault of the peer ends the connection like its end does: there is nobody to tell.
struct TLSTransport: Transport {
    let session: TLSSession
    let descriptor: Int32

    var buffersInput: Bool { true }
    var prefersJoinedOutput: Bool { true }

    func handshake() -> TLSSession.Step {
        (try? session.handshake()) ?? .closed
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
