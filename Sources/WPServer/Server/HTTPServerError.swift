// SPDX-License-Identifier: MIT

import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why a server cannot serve.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// A value of the configuration is out of its range.
        case invalidConfiguration
        /// Another socket is listening on the host and port.
        case addressInUse
        /// The host is not a local address, or its family is unsupported.
        case addressNotAvailable
        /// The host is neither an address nor a name with an address.
        case unknownHost
        /// An inherited socket is not a listening stream socket.
        case notListening
        /// The process may not listen on the port.
        case permissionDenied
        /// The server is already running.
        case alreadyRunning
        /// The system is out of descriptors, memory or threads.
        case system
    }

    /// The kind of failure.
    public var code: Code
    /// What failed, on which host and port, why, and what to do.
    public var message: String

    /// Creates an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension HTTPServerError {
    static func unknownHost(_ address: HostPort, _ reason: String) -> HTTPServerError {
        HTTPServerError(
            code: .unknownHost,
            message: "the server cannot listen on \(address): the host has no address (\(reason)); "
                + "give an IP address of this machine, 0.0.0.0 for all of IPv4 or :: for all"
        )
    }

    static func cannotListen(_ address: HostPort, code: Int32) -> HTTPServerError {
        let reason = String(cString: strerror(code))
        switch code {
        case EADDRINUSE:
            return HTTPServerError(
                code: .addressInUse,
                message: "the server cannot listen on \(address): address already in use; stop the other program or "
                    + "choose another port"
            )
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return HTTPServerError(
                code: .addressNotAvailable,
                message: "the server cannot listen on \(address): this machine does not have the address (\(reason)); "
                    + "give one that it has, or 0.0.0.0 for all of IPv4"
            )
        case EACCES, EPERM:
            return HTTPServerError(
                code: .permissionDenied,
                message: "the server cannot listen on \(address): \(reason); use port 1024 or higher, or allow it"
            )
        default:
            return HTTPServerError(code: .system, message: "the server cannot listen on \(address): \(reason)")
        }
    }

    static func cannotStart(_ error: SystemCallError) -> HTTPServerError {
        let reason = String(cString: strerror(error.code))
        return HTTPServerError(
            code: .system,
            message: "the server's event loop cannot start (\(error.call): \(reason)); "
                + "check the limits on descriptors and threads"
        )
    }

    static func notListening(_ descriptor: Int32) -> HTTPServerError {
        HTTPServerError(
            code: .notListening,
            message:
                "the server cannot use descriptor \(descriptor), which it was given to listen on: it is not a listening "
                + "stream socket; a systemd socket unit needs ListenStream= and Accept=no"
        )
    }

    static let alreadyRunning = HTTPServerError(
        code: .alreadyRunning,
        message: "the server is already running; create another one for another port"
    )
}
