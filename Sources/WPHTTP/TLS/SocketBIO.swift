// SPDX-License-Identifier: MIT

import COpenSSL
import WPSockets

/// An OpenSSL BIO for a socket.
///
/// OpenSSL's own socket BIO uses `write(2)`, which raises SIGPIPE if the peer has disconnected. This one does not, so
/// that the program's signal handling need not change.
enum SocketBIO {
    /// Creates a BIO for a descriptor, which it does not own; nil if memory allocation fails.
    static func make(descriptor: Int32) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        // The data pointer is the descriptor itself, so there is nothing to free.
        BIO_set_data(bio, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
        BIO_set_init(bio, 1)
        return bio
    }

    private static func descriptor(of bio: OpaquePointer?) -> Int32 {
        Int32(truncatingIfNeeded: Int(bitPattern: BIO_get_data(bio)))
    }

    private static let retryFlags = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

    private static func read(_ bio: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32) -> Int32 {
        BIO_clear_flags(bio, retryFlags)
        guard let buffer, count > 0 else { return 0 }
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
        switch SocketIO.receive(descriptor(of: bio), into: target) {
        case .bytes(let received): return Int32(truncatingIfNeeded: received)
        case .ended:
            BIO_set_flags(bio, BIO_FLAGS_IN_EOF)
            return 0
        case .blocked: BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        case .failed: break
        }
        return -1
    }

    private static func write(_ bio: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int32) -> Int32 {
        BIO_clear_flags(bio, retryFlags)
        guard let bytes, count > 0 else { return 0 }
        switch SocketIO.send(descriptor(of: bio), UnsafeRawBufferPointer(start: bytes, count: Int(count))) {
        case .bytes(let sent): return Int32(truncatingIfNeeded: sent)
        case .blocked: BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        case .ended, .failed: break
        }
        return -1
    }

    private static func control(_ bio: OpaquePointer?, _ command: Int32) -> Int {
        switch command {
        case BIO_CTRL_EOF: BIO_test_flags(bio, BIO_FLAGS_IN_EOF) == 0 ? 0 : 1
        case BIO_CTRL_FLUSH: 1
        default: 0
        }
    }

    // A pointer is not Sendable, but the method table is immutable after initialization.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE") else {
            return nil
        }
        BIO_meth_set_read(method) { SocketBIO.read($0, $1, $2) }
        BIO_meth_set_write(method) { SocketBIO.write($0, $1, $2) }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in SocketBIO.control(bio, command) }
        return method
    }()
}
