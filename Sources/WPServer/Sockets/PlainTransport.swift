// SPDX-License-Identifier: MIT

import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes over TCP as they are.
struct PlainTransport: Transport {
    let descriptor: Int32

    var buffersInput: Bool { false }
    var prefersJoinedOutput: Bool { false }

    nonisolated(nonsending) func prepare() async {}

    func handshake() -> TLSSession.Step { .done(0) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Step {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .done(count) }
            if count == 0 { return .closed }
            if let step = stepAfterError(.wantsRead) { return step }
        }
    }

    func write(_ output: OutputBuffer) -> TLSSession.Step {
        output.withParts { parts in
            var message = msghdr()
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = .init(parts.count)
            while true {
                let count = ServerSocketPlatform.send(descriptor, &message)
                if count >= 0 { return .done(count) }
                if let step = stepAfterError(.wantsWrite) { return step }
            }
        }
    }

    func endSending() {
        SocketOptions.endSending(descriptor)
    }

    private func stepAfterError(_ wish: TLSSession.Step) -> TLSSession.Step? {
        switch errno {
        case EINTR: nil
        case EAGAIN, EWOULDBLOCK: wish
        default: .closed
        }
    }
}
