// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The service manager that started the process, if it wants to know the state of it (sd_notify(3)): `Type=notify` or
/// `Type=notify-reload` of a systemd unit.
struct ServiceManager: Sendable {
    /// What it can be told.
    enum State {
        /// The process has started, or has reloaded.
        case ready
        /// The process loads its settings again.
        case reloading
        /// The process is about to end.
        case stopping
        /// The process is alive.
        case alive

        fileprivate var message: String {
            switch self {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(ServiceManager.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        }
    }

    private let path: String?
    /// How often it is to be told that the process is alive: twice as often as it asks for; nil when it does not ask.
    let watchdogInterval: Duration?

    /// Takes the variables out of the environment, so that child processes don't speak for this one.
    init() {
        var environment: [String: String] = [:]
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
            environment[name] = getenv(name).map { String(cString: $0) }
            unsetenv(name)
        }
        self.init(environment, process: getpid())
    }

    init(_ environment: [String: String], process: Int32) {
        path = environment["NOTIFY_SOCKET"]
        let isForThisProcess = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isForThisProcess && microseconds > 0 ? .microseconds(max(microseconds / 2, 1000)) : nil
    }

    private static var monotonicMicroseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
    }

    /// Sends it. A failure is ignored: there is nobody to report it to.
    func send(_ state: State) {
        guard let path, var address = Self.address(path) else { return }
        let descriptor = socket(AF_UNIX, Self.datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(state.message.utf8)
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
