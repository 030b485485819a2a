// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The service manager that started the process, if it wants to be told of its state (sd_notify(3)): `Type=notify` of a
/// systemd unit.
package struct ServiceManager: Sendable {
    /// What it can be told.
    package enum State: String {
        /// The process listens.
        case ready = "READY=1"
        /// The process is about to end.
        case stopping = "STOPPING=1"
    }

    private let path: String?

    /// Takes the socket's path out of the environment, so that child processes don't speak for this one.
    package init() {
        path = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        unsetenv("NOTIFY_SOCKET")
    }

    package init(path: String) {
        self.path = path
    }

    /// Tells it. There is nobody to tell of a failure.
    package func tell(_ state: State) {
        guard let path, var address = Self.address(path) else { return }
        let descriptor = socket(AF_UNIX, Self.datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(state.rawValue.utf8)
        let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        let length = socklen_t(pathOffset + path.utf8.count)
        _ = withUnsafeBytes(of: &address) { raw in
            raw.bindMemory(to: sockaddr.self).baseAddress.map { pointer in
                sendto(descriptor, message, message.count, 0, pointer, length)
            }
        }
    }

    /// An address in the file system, or an abstract one, which is written with an at sign for its NUL.
    private static func address(_ path: String) -> sockaddr_un? {
        var bytes = Array(path.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private static var datagram: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_DGRAM.rawValue)
        #else
        SOCK_DGRAM
        #endif
    }
}
