// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPLogging
import WPModel

/// The WinPower session: stores the token, renews it before it expires, and backs off after failures.
///
/// One login runs at a time, shared by all polls that need a token.
actor Session {
    /// A token, and whether it is new.
    struct Grant: Sendable {
        let token: Token
        let isNew: Bool
        /// The password of its login, which must be removed from server text.
        let password: Secret
    }

    /// The pause before another renewal after a failed one, while the old token is still valid.
    private static let renewalPause = Duration.seconds(30)
    /// A token rejected before this age has not expired: probably another program logged in.
    private static let earlyRejectionAge = Duration.seconds(60)

    private let configuration: WinPowerClient.Configuration
    private let exchanger: Exchanger
    private let credentials: CredentialsReader
    private let randomness: @Sendable () -> Double
    private let logger: Logger
    private let flight = SingleFlight<Token>()

    private var token: Token?
    private var tokenCount = 0
    private var lastCredentials: WinPowerCredentials?
    private var backoff = LoginBackoff()
    /// The failure that caused the pause; nil if it was a rejection.
    private var pausedFor: DeviceSourceError?
    /// The number of the last token that was accepted for a page.
    private var confirmedToken: Int?
    private var nextRenewal = Duration.zero
    /// Whether the next token is a change of state worth logging, rather than a renewal.
    private var nextTokenChangesState = true
    private var lastTokenEndedEarly = false

    init(
        configuration: WinPowerClient.Configuration,
        exchanger: Exchanger,
        credentials: CredentialsReader,
        randomness: @escaping @Sendable () -> Double,
        logger: Logger
    ) {
        self.configuration = configuration
        self.exchanger = exchanger
        self.credentials = credentials
        self.randomness = randomness
        self.logger = logger
    }

    private var now: Duration { exchanger.timeSource.now.monotonic }

    /// The current token if valid, else a new one.
    /// - Parameter deadline: the deadline of the poll on the monotonic clock.
    /// - Throws: `DeviceSourceError` when no token is available, `CancellationError`.
    func grant(before deadline: Duration) async throws -> Grant {
        if let token, now < max(token.renewal, min(nextRenewal, token.expiry)) {
            return grant(token, isNew: false)
        }
        dropTokenIfEnded()
        do {
            return grant(try await flight.run { try await self.logIn(before: deadline) }, isNew: true)
        } catch let error as DeviceSourceError {
            nextTokenChangesState = true
            dropTokenIfEnded()
            guard let token else { throw error }
            nextRenewal = now + Self.renewalPause
            logger.debug("Token renewal failed; the old token is still used", ["error": .string(error.message)])
            return grant(token, isNew: false)
        }
    }

    private func grant(_ token: Token, isNew: Bool) -> Grant {
        Grant(token: token, isNew: isNew, password: lastCredentials?.password ?? Secret(""))
    }

    /// Records that the server accepted a token.
    func confirm(_ token: Token) {
        guard self.token?.number == token.number else { return }
        confirmedToken = token.number
        backoff.reset()
    }

    /// Whether an application error may mean that a token has expired: it was accepted before, and is not new.
    /// Otherwise, a persistent error would cause a login in every poll.
    func isSuspect(_ token: Token) -> Bool {
        guard let current = self.token else { return true }
        guard current.number == token.number else { return true }
        return confirmedToken == token.number && now - token.obtained >= Self.earlyRejectionAge
    }

    /// Drops a token after an error it may have caused, unless already replaced.
    func drop(_ token: Token, because error: String) {
        guard self.token?.number == token.number else { return }
        logger.info("Logging in again, because the token may have caused the error", ["error": .string(error)])
        setToken(nil)
    }

    /// Drops a rejected token, unless already replaced.
    func drop(_ token: Token) {
        guard self.token?.number == token.number else { return }
        if now - token.obtained >= Self.earlyRejectionAge {
            logger.info("Token rejected by the server; logging in again")
            lastTokenEndedEarly = false
        } else {
            // Two programs that log each other out would do so in every poll, so log once.
            logger.log(
                lastTokenEndedEarly ? .debug : .warn,
                "Token rejected soon after it was issued; does another program log in with the same account?"
            )
            lastTokenEndedEarly = true
        }
        setToken(nil)
    }

    /// Drops a new token that the server rejected, and pauses as after rejected credentials: otherwise each poll would
    /// log in twice.
    /// - Returns: the pause for these credentials.
    func giveUp(_ token: Token) -> Duration {
        if self.token?.number == token.number { setToken(nil) }
        return pauseAfterRejection("New token rejected; logins are paused", reply: nil)
    }

    // MARK: Logging in

    private func logIn(before deadline: Duration) async throws -> Token {
        if let token, now < token.renewal { return token }
        var result = LoginResult.error
        var isAttempt = true
        defer { if isAttempt { exchanger.observer?.loginEnded(result) } }
        let credentials = try await self.credentials.credentials(before: deadline)
        if let pause = backoff.remaining(for: credentials, at: now) {
            isAttempt = false
            throw pausedError(pause)
        }
        let call = try APICall.login(credentials, path: configuration.loginPath)
        let started = now
        do {
            let secret = try await requestToken(call, credentials: credentials, before: deadline)
            result = .success
            return keep(secret, of: credentials, obtained: started)
        } catch let rejection as LoginRejection {
            result = .rejected
            lastCredentials = credentials
            let pause = pauseAfterRejection(
                "Login rejected: WinPower does not accept the credentials",
                reply: rejection.text
            )
            throw call.failure(
                .auth,
                """
                WinPower rejected the credentials\(rejection.quoted). \
                \(Self.sentence(onPause: pause, endsWithOtherCredentials: true))
                """,
                hint: .checkCredentials,
                reachedServer: true
            )
        } catch let failure as LoginFailure {
            var error = failure.error
            let pause = pause(after: failure)
            error.message += " \(Self.sentence(onPause: pause, endsWithOtherCredentials: false))."
            throw error
        }
    }

    private func requestToken(
        _ call: APICall,
        credentials: WinPowerCredentials,
        before deadline: Duration
    ) async throws -> Secret {
        let response: HTTPResponse
        do {
            response = try await exchanger.send(call, before: deadline).response
        } catch let error as DeviceSourceError where error.reachedServer {
            // The peer responded, but the response is malformed or too large.
            throw LoginFailure(error: error, kind: .wrongAddress)
        }
        let secrets = [credentials.password]
        switch response.status.code {
        case 200:
            do {
                return try ReplyDecoder(hiding: secrets).token(response.bytes)
            } catch .rejected(let text) {
                throw LoginRejection(text: text)
            } catch .application(let code, let text) {
                // The server's reply to a wrong password is unknown, so any application error counts as a rejection, to
                // avoid repeating a wrong password.
                throw LoginRejection(text: text ?? "code \(code)")
            } catch {
                // A truncated or damaged reply may be complete the next time.
                let isDamaged = if case .malformed = error { true } else { false }
                throw LoginFailure(error: call.failure(error), kind: isDamaged ? .transient : .wrongAddress)
            }
        case 400, 401, 403, 422, 423:
            throw LoginRejection(text: ReplyDecoder(hiding: secrets).text(response.bytes))
        case 408, 429, 500...599:
            throw LoginFailure(
                error: call.failure(status: response.status),
                kind: .transient,
                retryAfter: response.headers["Retry-After"].flatMap { UInt32($0) }.map { .seconds(Int64($0)) }
            )
        default:
            throw LoginFailure(error: call.failure(status: response.status), kind: .wrongAddress)
        }
    }

    private func keep(_ secret: Secret, of credentials: WinPowerCredentials, obtained: Duration) -> Token {
        tokenCount += 1
        let token = Token(
            secret: secret,
            number: tokenCount,
            obtained: obtained,
            lifetime: configuration.tokenLifetime,
            refreshThreshold: configuration.refreshThreshold
        )
        lastCredentials = credentials
        nextRenewal = .zero
        backoff.recordToken()
        setToken(token)
        logger.log(
            nextTokenChangesState ? .info : .debug,
            "Token obtained",
            ["expires_in_s": .int((token.expiry - now).components.seconds)]
        )
        nextTokenChangesState = false
        return token
    }

    // MARK: State

    private func dropTokenIfEnded() {
        if let token, now >= token.expiry { setToken(nil) }
    }

    private func setToken(_ new: Token?) {
        guard token != nil || new != nil else { return }
        token = new
        exchanger.observer?.tokenChanged(expiry: new?.expiry)
    }

    private func pauseAfterRejection(_ message: String, reply: String?) -> Duration {
        let pause = backoff.fail(.rejection(lastCredentials), at: now, random: randomness())
        nextTokenChangesState = true
        pausedFor = nil
        var fields: LogFields = ["retry_in_s": .int(pause.wholeSeconds), "refusals": .int(backoff.count)]
        if let reply { fields.append("reply", .string(reply)) }
        logger.warn(message, fields)
        return pause
    }

    private func pause(after failure: LoginFailure) -> Duration {
        let pause = backoff.fail(failure.kind, at: now, random: randomness(), retryAfter: failure.retryAfter)
        nextTokenChangesState = true
        pausedFor = failure.error
        // An overloaded server is polled every minute, so log only the first failures.
        logger.log(
            failure.kind == .transient && backoff.count > 5 ? .debug : .warn,
            "Login failed; logins are paused",
            [
                "error": .string(failure.error.message), "retry_in_s": .int(pause.wholeSeconds),
                "failures": .int(backoff.count),
            ]
        )
        return pause
    }

    private func pausedError(_ pause: Duration) -> DeviceSourceError {
        guard var error = pausedFor else {
            return DeviceSourceError(
                reason: .auth,
                endpoint: .login,
                message: """
                    Logging in to WinPower was not tried, because it has just rejected these credentials or the token \
                    issued for them. \(Self.sentence(onPause: pause, endsWithOtherCredentials: true)).
                    """,
                reachedServer: false,
                wasAuthenticated: false,
                hint: .checkCredentials
            )
        }
        error.message = """
            Logging in to WinPower is paused after a failure. \(error.message) \
            \(Self.sentence(onPause: pause, endsWithOtherCredentials: false)).
            """
        error.reachedServer = false
        return error
    }

    /// When the next login will be tried, without a full stop.
    static func sentence(onPause pause: Duration, endsWithOtherCredentials: Bool) -> String {
        "The next login will be tried in \(pause.wholeSeconds) s"
            + (endsWithOtherCredentials ? ", or as soon as the credentials change" : "")
    }
}

/// The server rejected the credentials.
private struct LoginRejection: Error {
    /// The server's message.
    let text: String?

    var quoted: String { text.map { " (it said: \($0))" } ?? "" }
}

/// The login failed in another way that needs a pause.
private struct LoginFailure: Error {
    let error: DeviceSourceError
    let kind: LoginBackoff.Kind
    /// The pause requested by the server (RFC 9110, section 10.2.3).
    var retryAfter: Duration?
}

extension Duration {
    /// This duration in seconds, rounded up.
    fileprivate var wholeSeconds: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds + 1 : seconds
    }
}
