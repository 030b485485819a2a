// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPCore
import WPLogging
import WPScheduler

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why the users file is unusable.
public struct UsersFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path, the fault, and the remedy; never a password.
    public var description: String
}

/// The users file, reread when it changes.
final class UsersFile: Sendable {
    /// How often the file is checked for changes.
    static let interval: Duration = .seconds(5)

    private struct State {
        var path: String?
        var text: [UInt8] = []
        var hasFailed = false
    }

    private let timeSource: any TimeSource
    private let logger: Logger
    private let apply: @Sendable (NUTUsers) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "nut-users", qos: .utility)

    /// - Parameters:
    ///   - timeSource: the clock of the checks.
    ///   - apply: receives the users, initially and after each change.
    init(timeSource: any TimeSource, logger: Logger, apply: @escaping @Sendable (NUTUsers) -> Void) {
        self.timeSource = timeSource
        self.logger = logger
        self.apply = apply
    }

    /// Whether the last read of the file succeeded; nil without one.
    var isCurrent: Bool? { state.withLock { $0.path == nil ? nil : !$0.hasFailed } }

    /// Switches to a file; blocks.
    /// - Parameter path: nil for no users.
    /// - Throws: if it is unusable; in that case the users are unchanged.
    func use(_ path: String?) throws(UsersFileError) { try prepare(path)() }

    /// Reads a file without applying it.
    /// - Returns: a function that switches to it.
    func prepare(_ path: String?) throws(UsersFileError) -> @Sendable () -> Void {
        guard let path else {
            return { [self] in
                state.withLock { $0 = State() }
                apply(NUTUsers())
            }
        }
        let (text, users) = try Self.read(path)
        return { [self] in install(text, users, path) }
    }

    private func install(_ text: [UInt8], _ users: NUTUsers, _ path: String) {
        state.withLock { $0 = State(path: path, text: text) }
        apply(users)
        for warning in users.warnings {
            logger.warn("NUT users", ["file": .string(path), "warning": .string(warning)])
        }
    }

    /// Rereads the file when it changes, until the task is cancelled.
    func follow() async {
        await Ticker(interval: Self.interval, timeSource: timeSource).run(after: Self.interval) { [self] _ in
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    refresh()
                    continuation.resume()
                }
            }
        }
    }

    /// Rereads the file; an unusable one leaves the users unchanged.
    func refresh() {
        let (path, known, hadFailed) = state.withLock { ($0.path, $0.text, $0.hasFailed) }
        guard let path else { return }
        do throws(UsersFileError) {
            let (text, users) = try Self.read(path)
            guard text != known || hadFailed else { return }
            install(text, users, path)
            logger.info("NUT users were reloaded", ["file": .string(path), "users": .int(users.users.count)])
        } catch {
            state.withLock { state in
                // The path may have changed in the meantime.
                if state.path == path { state.hasFailed = true }
            }
            guard !hadFailed else { return }
            logger.error(
                "The file of NUT users cannot be used; the previous users stay in effect",
                ["error": .describing(error)]
            )
        }
    }

    static func read(_ path: String) throws(UsersFileError) -> (text: [UInt8], users: NUTUsers) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw UsersFileError(description: "\(path) cannot be read: \(reason(errno))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UsersFileError(description: "\(path) is not a regular file")
        }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while text.count <= NUTUsers.maxBytes {
            let count = systemRead(descriptor, &buffer, buffer.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw UsersFileError(description: "\(path) cannot be read: \(reason(errno))")
            }
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        guard text.count <= NUTUsers.maxBytes else {
            throw UsersFileError(description: "\(path) is larger than \(NUTUsers.maxBytes >> 20) MiB")
        }
        do throws(NUTUsers.Malformed) {
            return (text, try NUTUsers(parsing: String(decoding: text, as: UTF8.self)))
        } catch {
            throw UsersFileError(description: "\(path), \(error)")
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
