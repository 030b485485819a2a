// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
public import WPLogging
public import WPModel

/// Reads the devices of a WinPower G2 server through its HTTP API.
///
/// It logs in when it has no good token, reads the device list page by page, and gives either every device or one
/// ``/WPModel/DeviceSourceError``. It keeps nothing between readings but the token, and starts nothing by itself. It may
/// be asked from several tasks at once; they share one log-in.
public final class WinPowerClient: DeviceSource {
    private let configuration: Configuration
    private let exchanger: Exchanger
    private let session: Session
    private let logger: Logger
    private let hasWarnedOfSkipped = Mutex(false)
    private let namedFields = Mutex<Set<String>>([])
    private static let maximumNamedFields = 1000

    /// Creates a client. Nothing is sent before the first reading.
    /// - Parameters:
    ///   - configuration: what to ask for and how long to wait.
    ///   - transport: carries the exchanges.
    ///   - credentials: gives who logs in. It is called anew for each log-in, on a thread that may block, so it may read
    ///     files that change. When it throws, the reading fails with the reason `auth` and the error's description.
    ///   - timeSource: the clocks by which tokens end and readings are dated.
    ///   - observer: hears of exchanges, log-ins and tokens.
    ///   - logger: hears of changes of state. No token or password is ever logged.
    ///   - randomness: gives numbers from 0 up to 1, which spread the log-ins after a refusal.
    public init(
        configuration: Configuration = Configuration(),
        transport: any WinPowerTransport,
        credentials: @escaping @Sendable () throws -> WinPowerCredentials,
        timeSource: any TimeSource = SystemTimeSource(),
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
            credentials: credentials,
            randomness: randomness,
            logger: logger
        )
    }

    /// Reads every device, logging in first when need be.
    ///
    /// A token that the server refuses is dropped, and the request is repeated once with a new one. While the client
    /// pauses after refused credentials, it sends nothing and throws at once.
    /// - Returns: the readings, one a device id, in the server's order; a device that stands on several pages has the
    ///   place of the first and the values of the last.
    /// - Throws: `DeviceSourceError`, whose `reachedServer` and `wasAuthenticated` speak of this reading alone;
    ///   `CancellationError` promptly when the task is cancelled.
    public func readDevices() async throws -> [DeviceReading] {
        var progress = Progress(deadline: exchanger.timeSource.now.monotonic + configuration.timeout)
        do {
            return try await read(&progress)
        } catch var error as DeviceSourceError {
            error.reachedServer = error.reachedServer || progress.reachedServer
            error.wasAuthenticated = progress.isAuthenticated && error.reason != .auth
            throw error
        }
    }

    /// What a reading has come to so far.
    private struct Progress {
        let deadline: Duration
        var reachedServer = false
        var isAuthenticated = false
        var hasLoggedInAgain = false
    }

    private func read(_ progress: inout Progress) async throws -> [DeviceReading] {
        var list = DeviceList(maxDevices: configuration.maxDevices, maxPages: configuration.maxPages)
        var isWhole = false
        while !isWhole {
            let (call, page) = try await readPage(list.nextPage, &progress)
            do {
                isWhole = try list.add(page)
            } catch {
                throw call.failure(error)
            }
        }
        report(list)
        return list.readings
    }

    private func readPage(_ number: Int, _ progress: inout Progress) async throws -> (APICall, DevicePage) {
        while true {
            let grant = try await session.grant(before: progress.deadline)
            if grant.isNew {
                progress.reachedServer = true
                progress.isAuthenticated = true
            }
            let token = grant.token
            let call = APICall.devices(page: number, token: token.secret, configuration: configuration)
            let reply = try await exchanger.send(call, before: progress.deadline)
            progress.reachedServer = true
            let decoder = ReplyDecoder(hiding: [token.secret])
            let refusal: String?
            switch reply.response.status.code {
            case 200:
                do {
                    let page = try decoder.devicePage(reply.response.bytes, time: reply.time)
                    progress.isAuthenticated = true
                    await session.confirm(token)
                    return (call, page)
                } catch .refused(let text) {
                    refusal = text
                } catch {
                    // An error of the application comes from behind the authentication.
                    if case .application = error { progress.isAuthenticated = true }
                    throw call.failure(error)
                }
            case 401, 403:
                refusal = decoder.text(reply.response.bytes)
            default:
                throw call.failure(status: reply.response.status)
            }
            progress.isAuthenticated = false
            guard !progress.hasLoggedInAgain else {
                throw call.failure(
                    .auth,
                    """
                    WinPower refused a token that it had just given\(refusal.map { " (it said: \($0))" } ?? ""). \
                    \(Session.sentence(onPause: await session.giveUp(token)))
                    """,
                    hint: .checkPermissions,
                    reachedServer: true
                )
            }
            progress.hasLoggedInAgain = true
            await session.drop(token)
        }
    }

    private func report(_ list: DeviceList) {
        report(unknownFields: list.unknownFields)
        if list.repeated > 0 {
            logger.debug("Devices listed more than once", ["repeated": .int(list.repeated)])
        }
        guard list.skipped > 0 else { return }
        exchanger.observer?.recordsRejected(list.skipped)
        let isFirst = hasWarnedOfSkipped.withLock { warned in
            defer { warned = true }
            return !warned
        }
        logger.log(
            isFirst ? .warn : .debug,
            "Devices without a usable identifier skipped",
            ["skipped": .int(list.skipped), "read": .int(list.readings.count)]
        )
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
