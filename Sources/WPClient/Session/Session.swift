// SPDX-License-Identifier: MIT

import Dispatch
import WPHTTP
import WPLogging
import WPModel

/// The log-in with WinPower: holds the token, renews it before it ends, and leaves the server alone after a refusal.
///
/// One log-in runs at a time, and everybody who needs a token meanwhile shares it.
actor Session {
    /// A token to use, and whether the server gave it just now.
    struct Grant: Sendable {
        let token: Token
        let isNew: Bool
    }

    /// After a renewal that failed while the old token still lives, how long to go on with the old one.
    private static let renewalPause = Duration.seconds(30)
    /// A token that is refused before this age has not come to its end: more likely somebody else logged in.
    private static let earlyRefusalAge = Duration.seconds(60)

    private let configuration: WinPowerClient.Configuration
    private let exchanger: Exchanger
    private let credentials: @Sendable () throws -> WinPowerCredentials
    private let randomness: @Sendable () -> Double
    private let logger: Logger
    private let flight = SingleFlight<Token>()

    private var token: Token?
    private var tokensGiven = 0
    private var lastCredentials: WinPowerCredentials?
    private var backoff = RefusalBackoff()
    private var nextRenewal = Duration.zero
    /// Whether the next token is a change of state, and not just the renewal of one that served well.
    private var tokenIsNews = true
    private var lastTokenEndedEarly = false

    init(
        configuration: WinPowerClient.Configuration,
        exchanger: Exchanger,
        credentials: @escaping @Sendable () throws -> WinPowerCredentials,
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

    /// The token in hand while it is good, else that of a new log-in.
    /// - Parameter deadline: when the asking reading must be over, on the monotonic clock.
    /// - Throws: `DeviceSourceError` when there is no token to be had, `CancellationError`.
    func grant(before deadline: Duration) async throws -> Grant {
        if let token, now < max(token.renewal, min(nextRenewal, token.expiry)) {
            return Grant(token: token, isNew: false)
        }
        dropTokenIfEnded()
        do {
            return Grant(token: try await flight.run { try await self.logIn(before: deadline) }, isNew: true)
        } catch let error as DeviceSourceError {
            tokenIsNews = true
            dropTokenIfEnded()
            guard let token else { throw error }
            nextRenewal = now + Self.renewalPause
            logger.debug("Token not renewed; the old one still serves", ["error": .string(error.message)])
            return Grant(token: token, isNew: false)
        }
    }

    /// Notes that the server accepted a token.
    func confirm(_ token: Token) {
        guard self.token?.number == token.number else { return }
        backoff.reset()
    }

    /// Forgets a token that the server refused, unless another has taken its place.
    func drop(_ token: Token) {
        guard self.token?.number == token.number else { return }
        if now - token.obtained >= Self.earlyRefusalAge {
            logger.info("Token rejected by the server; logging in again")
            lastTokenEndedEarly = false
        } else {
            // Two programs that log each other out would do so in every reading: one line is enough.
            logger.log(
                lastTokenEndedEarly ? .debug : .warn,
                "Token rejected soon after it was given; does another program log in with the same account?"
            )
            lastTokenEndedEarly = true
        }
        setToken(nil)
    }

    /// Forgets a token that the server refused although it had just given it, and pauses as after refused credentials:
    /// otherwise each reading would log in twice.
    /// - Returns: how long no log-in will be tried with these credentials.
    func giveUp(_ token: Token) -> Duration {
        if self.token?.number == token.number { setToken(nil) }
        return pause("Token rejected although it is new; no log-in for a while", reply: nil)
    }

    // MARK: Logging in

    private func logIn(before deadline: Duration) async throws -> Token {
        if let token, now < token.renewal { return token }
        var result = LoginResult.error
        var isAttempt = true
        defer { if isAttempt { exchanger.observer?.loginEnded(result) } }
        let credentials = try await readCredentials()
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
        } catch let refusal as LoginRefusal {
            result = .rejected
            lastCredentials = credentials
            let pause = pause("Token refused: WinPower does not accept the credentials", reply: refusal.text)
            throw call.failure(
                .auth,
                "WinPower refused the credentials\(refusal.quoted). \(Self.sentence(onPause: pause))",
                hint: .checkCredentials,
                reachedServer: true
            )
        }
    }

    private func requestToken(
        _ call: APICall,
        credentials: WinPowerCredentials,
        before deadline: Duration
    ) async throws -> Secret {
        let response = try await exchanger.send(call, before: deadline).response
        let secrets = [credentials.password]
        switch response.status.code {
        case 200:
            do {
                return try ReplyDecoder(hiding: secrets).token(response.bytes)
            } catch .refused(let text) {
                throw LoginRefusal(text: text)
            } catch .application(let code, let text) {
                // What the server answers to a wrong password is not known: whatever error it names counts as a
                // refusal, lest a wrong password is sent every few seconds.
                throw LoginRefusal(text: text ?? "code \(code)")
            } catch {
                throw call.failure(error)
            }
        case 400, 401, 403, 422, 423:
            throw LoginRefusal(text: ReplyDecoder(hiding: secrets).text(response.bytes))
        default:
            throw call.failure(status: response.status)
        }
    }

    private func keep(_ secret: Secret, of credentials: WinPowerCredentials, obtained: Duration) -> Token {
        tokensGiven += 1
        let token = Token(
            secret: secret,
            number: tokensGiven,
            obtained: obtained,
            lifetime: configuration.tokenLifetime,
            refreshThreshold: configuration.refreshThreshold
        )
        lastCredentials = credentials
        nextRenewal = .zero
        setToken(token)
        logger.log(
            tokenIsNews ? .info : .debug,
            "Token obtained",
            ["expires_in_s": .int((token.expiry - now).components.seconds)]
        )
        tokenIsNews = false
        return token
    }

    /// Reads the credentials off Swift's threads: the function may read files, and a file system may hang.
    private func readCredentials() async throws -> WinPowerCredentials {
        let credentials = credentials
        do {
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try credentials() })
                }
            }
        } catch {
            throw DeviceSourceError(
                reason: .auth,
                endpoint: .login,
                message: """
                    Logging in to WinPower was not tried, because the credentials could not be read: \
                    \(ServerText.clean(String(describing: error), limit: 1_000)).
                    """,
                reachedServer: false,
                wasAuthenticated: false,
                hint: .checkCredentialSources
            )
        }
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

    private func pause(_ message: String, reply: String?) -> Duration {
        let pause = backoff.refuse(lastCredentials, at: now, random: randomness())
        tokenIsNews = true
        var fields: LogFields = ["retry_in_s": .int(pause.wholeSeconds), "refusals": .int(backoff.count)]
        if let reply { fields.append("reply", .string(reply)) }
        logger.warn(message, fields)
        return pause
    }

    private func pausedError(_ pause: Duration) -> DeviceSourceError {
        DeviceSourceError(
            reason: .auth,
            endpoint: .login,
            message: """
                Logging in to WinPower was not tried, because it has just refused these credentials or the token that \
                they gave. \(Self.sentence(onPause: pause)).
                """,
            reachedServer: false,
            wasAuthenticated: false,
            hint: .checkCredentials
        )
    }

    /// Says when the next login will be tried, without the full stop.
    static func sentence(onPause pause: Duration) -> String {
        "The next login will be tried in \(pause.wholeSeconds) s, or as soon as the credentials change"
    }
}

/// The server refused the credentials.
private struct LoginRefusal: Error {
    /// What it said.
    let text: String?

    var quoted: String { text.map { " (it said: \($0))" } ?? "" }
}

extension Duration {
    /// This span in seconds, rounded up.
    fileprivate var wholeSeconds: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds + 1 : seconds
    }
}
