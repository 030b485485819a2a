// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
import WPHTTP
public import WPLogging
public import WPModel

/// Reads the devices of a WinPower G2 server through its HTTP API.
///
/// Logs in if it has no valid token, reads the device list page by page, and returns all devices or throws one
/// ``/WPModel/DeviceSourceError``. Between polls it keeps only the token, and runs nothing in the background.
/// Concurrent calls share one login.
public final class WinPowerClient: DeviceSource {
    private let configuration: Configuration
    private let exchanger: Exchanger
    private let session: Session
    private let logger: Logger
    private let hasWarnedOfSkipped = Mutex(false)
    private let hasWarnedOfEncoding = Mutex(false)
    private let loggedFieldNames = Mutex<Set<String>>([])
    private static let maximumLoggedFieldNames = 1000

    /// Creates a client. Sends nothing before the first poll.
    /// - Parameters:
    ///   - configuration: requests and timeouts.
    ///   - transport: the transport.
    ///   - credentials: returns the account's credentials. Called for each login, on a thread that may block, so that
    ///     it can read files that change. If it throws, the poll fails with the reason `auth` and the error's
    ///     description.
    ///   - timeSource: the clocks for token expiry, readings and the credentials timeout.
    ///   - observer: is notified of exchanges, logins and token changes.
    ///   - logger: logs changes of state, but never a token or password.
    ///   - randomness: returns numbers from 0 up to 1, for the jitter of logins after a failure.
    public init(
        configuration: Configuration = Configuration(),
        transport: any WinPowerTransport,
        credentials: @escaping @Sendable () throws -> WinPowerCredentials,
        timeSource: any TimeSource = .system,
        observer: (any DeviceSourceObserver)? = nil,
        logger: Logger = .silent,
        randomness: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.configuration = configuration
        self.logger = logger
        exchanger = Exchanger(
            transport: transport,
            timeSource: timeSource,
            observer: observer,
            apiTimeout: configuration.apiTimeout
        )
        session = Session(
            configuration: configuration,
            exchanger: exchanger,
            credentials: CredentialsReader(read: credentials, timeSource: timeSource),
            randomness: randomness,
            logger: logger
        )
    }

    /// Reads all devices, logging in first if needed.
    ///
    /// The first page states the number of devices; later pages are read concurrently. A rejected token is dropped, and
    /// the request is retried once with a new one. During the pause after a failed login, throws immediately without
    /// sending a request.
    /// - Returns: the readings, one per device ID, in the server's order; a device on several pages has the position of
    ///   the first and the values of the last.
    /// - Throws: `DeviceSourceError`, whose `reachedServer` and `wasAuthenticated` describe only this poll;
    ///   `CancellationError` promptly if the task is cancelled.
    public func readDevices() async throws -> [DeviceReading] {
        let attempt = ReadingAttempt(deadline: exchanger.timeSource.now.monotonic + configuration.timeout)
        do {
            let list = try await readList(attempt)
            report(list)
            return list.readings
        } catch var error as DeviceSourceError {
            error.reachedServer = error.reachedServer || attempt.reachedServer
            error.wasAuthenticated = attempt.isAuthenticated && error.reason != .auth
            throw error
        }
    }

    // MARK: Pages

    private func readList(_ attempt: ReadingAttempt) async throws -> DeviceList {
        var list = DeviceList(maxDevices: configuration.maxDevices, maxPages: configuration.maxPages)
        if try add(try await readPage(1, attempt), to: &list) { return list }
        let width = max(1, min(configuration.maxConcurrentPages, exchanger.transport.maxConcurrentRequests))
        return try await withThrowingTaskGroup(of: Arrival.self) { group in
            var arrived: [Int: Arrival] = [:]
            var requested = 1
            var running = 0
            while true {
                while running < width, requested < list.lastExpectedPage {
                    requested += 1
                    running += 1
                    let number = requested
                    group.addTask {
                        do {
                            return Arrival(number: number, page: .success(try await self.readPage(number, attempt)))
                        } catch {
                            return Arrival(number: number, page: .failure(error))
                        }
                    }
                }
                guard let arrival = try await group.next() else { throw CancellationError() }
                running -= 1
                arrived[arrival.number] = arrival
                // In page order, as if requested one by one: a page beyond the end of the list may fail.
                while let next = arrived.removeValue(forKey: list.nextPage) {
                    if try add(try next.page.get(), to: &list) {
                        group.cancelAll()
                        return list
                    }
                }
            }
        }
    }

    /// A completed page request. A struct, because the optimizer of Swift 6.3.1 loses the number of a tuple returned by
    /// a task group.
    private struct Arrival: Sendable {
        let number: Int
        let page: Result<PageReply, any Error>
    }

    private func add(_ reply: PageReply, to list: inout DeviceList) throws -> Bool {
        do {
            return try list.add(reply.page)
        } catch {
            throw reply.call.failure(error)
        }
    }

    /// A page and its call, for errors.
    private struct PageReply: Sendable {
        let call: APICall
        let page: DevicePage
    }

    private func readPage(_ number: Int, _ attempt: ReadingAttempt) async throws -> PageReply {
        while true {
            let grant = try await session.grant(before: attempt.deadline)
            if grant.isNew { attempt.recordAuthentication(true) }
            let token = grant.token
            let call = APICall.devices(page: number, token: token.secret, configuration: configuration)
            let reply = try await exchanger.send(call, before: attempt.deadline)
            attempt.recordAnswer()
            switch verdict(on: reply, to: call, hiding: [token.secret, grant.password]) {
            case .page(let page):
                attempt.recordAuthentication(true)
                await session.confirm(token)
                return PageReply(call: call, page: page)
            case .failed(let error, let isAuthenticated, let mayBeCausedByToken):
                if isAuthenticated { attempt.recordAuthentication(true) }
                guard mayBeCausedByToken, await session.isSuspect(token), attempt.mayReplace(token) else { throw error }
                await session.drop(token, because: error.message)
            case .rejected(let text):
                attempt.recordAuthentication(false)
                guard attempt.mayReplace(token) else { throw await giveUp(token, call, text) }
                await session.drop(token)
            }
        }
    }

    private enum Verdict {
        case page(DevicePage)
        /// The token was rejected, with the server's text.
        case rejected(String?)
        /// Another failure, possibly before authentication.
        case failed(DeviceSourceError, isAuthenticated: Bool, mayBeCausedByToken: Bool)
    }

    private func verdict(on reply: Exchanger.Reply, to call: APICall, hiding secrets: [Secret]) -> Verdict {
        let decoder = ReplyDecoder(hiding: secrets)
        let status = reply.response.status
        switch status.code {
        case 200:
            do {
                return .page(try decoder.devicePage(reply.response.bytes, time: reply.time))
            } catch .rejected(let text) {
                return .rejected(text)
            } catch {
                // An application error usually comes after authentication.
                let isApplication = if case .application = error { true } else { false }
                return .failed(call.failure(error), isAuthenticated: isApplication, mayBeCausedByToken: isApplication)
            }
        case 401, 403:
            return .rejected(decoder.text(reply.response.bytes))
        case 404, 405, 408, 429:
            return .failed(call.failure(status: status), isAuthenticated: false, mayBeCausedByToken: false)
        default:
            let isClientError = (400...499).contains(status.code)
            return .failed(call.failure(status: status), isAuthenticated: false, mayBeCausedByToken: isClientError)
        }
    }

    private func giveUp(_ token: Token, _ call: APICall, _ text: String?) async -> DeviceSourceError {
        let pause = await session.giveUp(token)
        return call.failure(
            .auth,
            """
            WinPower rejected a token that it had just issued\(text.map { " (it said: \($0))" } ?? ""). \
            \(Session.sentence(onPause: pause, endsWithOtherCredentials: true))
            """,
            hint: .checkPermissions,
            reachedServer: true
        )
    }

    // MARK: Logging

    private func report(_ list: DeviceList) {
        report(unknownFields: list.unknownFields)
        if list.repeated > 0 {
            logger.debug("Devices listed more than once", ["repeated": .int(list.repeated)])
        }
        if list.isRepaired {
            logger.log(
                isFirst(hasWarnedOfEncoding) ? .warn : .debug,
                "Invalid UTF-8 in text from WinPower was replaced"
            )
        }
        guard list.skipped > 0 else { return }
        exchanger.observer?.recordsRejected(list.skipped)
        logger.log(
            isFirst(hasWarnedOfSkipped) ? .warn : .debug,
            "Devices without a usable identifier skipped",
            ["skipped": .int(list.skipped), "read": .int(list.readings.count)]
        )
    }

    private func isFirst(_ hasWarned: borrowing Mutex<Bool>) -> Bool {
        hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
    }

    /// Logs unknown fields once, for any number of devices and polls.
    private func report(unknownFields: Set<String>) {
        guard !unknownFields.isEmpty else { return }
        let new = loggedFieldNames.withLock { logged -> Set<String> in
            // A server with random names must not fill memory or log.
            guard logged.count < Self.maximumLoggedFieldNames else { return [] }
            let new = unknownFields.subtracting(logged)
            logged.formUnion(new)
            return new
        }
        guard !new.isEmpty else { return }
        let names = new.sorted().prefix(50).joined(separator: ", ")
        logger.debug("Fields that this version does not know", ["fields": .string(names), "count": .int(new.count)])
    }
}
