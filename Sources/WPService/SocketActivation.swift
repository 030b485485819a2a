// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Sockets that a service manager listens on and passes to the process (sd_listen_fds(3)). They queue connections while
/// the service restarts.
public enum SocketActivation {
    /// The first inherited descriptor.
    static let firstDescriptor: Int32 = 3
    /// The maximum number of inherited descriptors, more than any unit uses.
    static let maxDescriptors = 64

    private static let variables = ["LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// The inherited descriptors, for `HTTPServer.bind(to:)`; empty if there are none, if they are for another process,
    /// and at every later call.
    ///
    /// Child processes inherit neither the descriptors nor the variables. Call it before other threads read the
    /// environment.
    public static func takeDescriptors() -> [Int32] {
        var environment: [String: String] = [:]
        for name in variables {
            environment[name] = getenv(name).map { String(cString: $0) }
            unsetenv(name)
        }
        let descriptors = descriptors(environment, process: getpid())
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptors
    }

    static func descriptors(_ environment: [String: String], process: Int32) -> [Int32] {
        guard
            environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let count = environment["LISTEN_FDS"].flatMap({ Int($0) }),
            (1...maxDescriptors).contains(count)
        else { return [] }
        return (0..<Int32(count)).map { firstDescriptor + $0 }
    }
}
