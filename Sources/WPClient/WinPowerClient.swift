// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
public import WPLogging
public import WPModel

/// Reads the devices of a WinPower G2 server through its HTTP API.
///
/// It logs in when it has no valid token, reads the device list page by page, and gives either every device or one
/// ``/WPModel/DeviceSourceError``. Between readings it keeps only the token, and it runs nothing in the background. It
/// may be called from several tasks at the same time; they share one login.
public final class WinPowerClient: DeviceSource {
    private let configuration: Configuration
    private let exchanger: Exchanger
    private let session: Session
    private let logger: Logger
    private let hasWarnedOfSkipped = Mutex(false)
    private let hasWarnedOfEncoding = Mutex(false)
    private let namedFields = Mutex<Set<String>>([])
    private static let maximumNamedFields = 1000

    /// Creates a client. Nothing is sent before the first reading.
    /// - Parameters:
    ///   - configuration: what to ask for and how long to wait.
    ///   - transport: carries the exchanges.
    ///   - credentials: the account to log in with. It is called for each login, on a thread that may block, so it may
    ///     read files that change. When it throws, the reading fails with the reason `auth` and the error's description.
    ///   - timeSource: the clocks by which tokens end and readings are dated.
    ///   - clock: what waits for credentials that take too long.
    ///   - observer: receives exchanges, logins and tokens.
    ///   - logger: where changes of state are logged. No token or password is ever logged.
    ///   - randomness: gives numbers from 0 up to 1, which spread the logins after a failure.
    public init(
        configuration: Configuration = Configuration(),
        transport: any WinPowerTransport,
        credentials: @escaping @Sendable () throws -> WinPowerCredentials,
        timeSource: any TimeSource = SystemTimeSource(),
        clock: any Clock<Duration> = ContinuousClock(),
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
            credentials: CredentialsReader(read: credentials, timeSource: timeSource, clock: clock),
            randomness: randomness,
            logger: logger
        )
    }

    /// Reads every device, logging in first when need be.
    ///
    /// The first page says how many devices there are; those after it are read several at a time. A token that the
    /// server refuses is dropped, and the request is repeated once with a new one. While the client pauses after a
    /// login that failed, it sends nothing and throws at once.
    /// - Returns: the readings, one per device id, in the server's order; a device that stands on several pages has the
    ///   place of the first and the values of the last.
    /// - Throws: `DeviceSourceError`, whose `reachedServer` and `wasAuthenticated` speak of this reading alone;
    ///   `CancellationError` promptly when the task is cancelled.
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
            var asked = 1
            var running = 0
            while true {
                while running < width, asked < list.lastExpectedPage {
                    asked += 1
                    running += 1
                    let number = asked
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
                // In the order of their numbers, as though each had been asked for when the one before it was there: a
                // page beyond the end of the list may fail without harm.
                while let next = arrived.removeValue(forKey: list.nextPage) {
                    if try add(try next.page.get(), to: &list) {
                        group.cancelAll()
                        return list
                    }
                }
            }
        }
    }

    /// A page that was asked for, when its answer or its failure is there. A struct on purpose: the optimizer of Swift 6.3.1
    /// loses the number of a tuple that a task group returns, and the list never becomes whole.
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

    /// A page, and the call that gave it, for errors.
    private struct PageReply: Sendable {
        let call: APICall
        let page: DevicePage
    }

    private func readPage(_ number: Int, _ attempt: ReadingAttempt) async throws -> PageReply {
        while true {
            let grant = try await session.grant(before: attempt.deadline)
            if grant.isNew { attempt.noteAuthentication(true) }
            let token = grant.token
            let call = APICall.devices(page: number, token: token.secret, configuration: configuration)
            let reply = try await exchanger.send(call, before: attempt.deadline)
            attempt.noteAnswer()
            switch verdict(on: reply, to: call, hiding: [token.secret, grant.password]) {
            case .page(let page):
                attempt.noteAuthentication(true)
                await session.confirm(token)
                return PageReply(call: call, page: page)
            case .failed(let error, let isAuthenticated, let mayBeTheToken):
                if isAuthenticated { attempt.noteAuthentication(true) }
                guard mayBeTheToken, await session.isSuspect(token), attempt.mayReplace(token) else { throw error }
                await session.drop(token, because: error.message)
            case .refused(let text):
                attempt.noteAuthentication(false)
                guard attempt.mayReplace(token) else { throw await giveUp(token, call, text) }
                await session.drop(token)
            }
        }
    }

    private enum Verdict {
        case page(DevicePage)
        /// The token is refused; the server's text goes with it.
        case refused(String?)
        /// Something else failed, behind the authentication or perhaps before it.
        case failed(DeviceSourceError, isAuthenticated: Bool, mayBeTheToken: Bool)
    }

    private func verdict(on reply: Exchanger.Reply, to call: APICall, hiding secrets: [Secret]) -> Verdict {
        let decoder = ReplyDecoder(hiding: secrets)
        let status = reply.response.status
        switch status.code {
        case 200:
            do {
                return .page(try decoder.devicePage(reply.response.bytes, time: reply.time))
            } catch .refused(let text) {
                return .refused(text)
            } catch {
                // An error of the application comes from behind the authentication, as a rule.
                let isApplication = if case .application = error { true } else { false }
                return .failed(call.failure(error), isAuthenticated: isApplication, mayBeTheToken: isApplication)
            }
        case 401, 403:
            return .refused(decoder.text(reply.response.bytes))
        case 404, 405, 408, 429:
            return .failed(call.failure(status: status), isAuthenticated: false, mayBeTheToken: false)
        default:
            let isClientError = (400...499).contains(status.code)
            return .failed(call.failure(status: status), isAuthenticated: false, mayBeTheToken: isClientError)
        }
    }

    private func giveUp(_ token: Token, _ call: APICall, _ text: String?) async -> DeviceSourceError {
        let pause = await session.giveUp(token)
        return call.failure(
            .auth,
            """
            WinPower refused a token that it had just given\(text.map { " (it said: \($0))" } ?? ""). \
            \(Session.sentence(onPause: pause, endsWithOtherCredentials: true))
            """,
            hint: .checkPermissions,
            reachedServer: true
        )
    }

    // MARK: What is logged

    private func report(_ list: DeviceList) {
        report(unknownFields: list.unknownFields)
        if list.repeated > 0 {
            logger.debug("Devices listed more than once", ["repeated": .int(list.repeated)])
        }
        if list.isRepaired {
            logger.log(
                isFirst(hasWarnedOfEncoding) ? .warn : .debug,
                "Bytes that are not UTF-8 replaced in texts from WinPower"
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

    /// Names fields once, whatever number of devices and of readings has them.
    private func report(unknownFields: Set<String>) {
        guard !unknownFields.isEmpty else { return }
        let new = namedFields.withLock { named -> Set<String> in
            // A server that makes names up must not fill the memory with them, nor the log.
            guard named.count < Self.maximumNamedFields else { return [] }
            let new = unknownFields.subtracting(named)
            named.formUnion(new)
            return new
        }
        guard !new.isEmpty else { return }
        let names = new.sorted().prefix(50).joined(separator: ", ")
        logger.debug("Fields that this version does not know", ["fields": .string(names), "count": .int(new.count)])
    }
}
