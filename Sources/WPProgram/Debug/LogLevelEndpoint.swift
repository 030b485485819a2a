// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPHTTP
import WPLogging
import WPServer
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET` and `PUT /debug/log-level`: the effective log levels. A change lasts until the next reload or restart, which
/// restores the levels of the settings.
///
/// A body is `debug`, `info,client=debug` or `client=debug`, or the same as JSON: `{"level": "info", "modules":
/// {"client": "debug"}}`. Without a level, the common one is unchanged; modules that are not named get the common one.
struct LogLevelEndpoint: HTTPHandler {
    static let bodyLimit = 1024

    let levels: LogThreshold
    let timeSource: any TimeSource
    let logger: Logger
    private let log: LogBound

    init(levels: LogThreshold, timeSource: any TimeSource, logger: Logger) {
        self.levels = levels
        self.timeSource = timeSource
        self.logger = logger
        log = LogBound()
    }

    /// Limits the rate of log records about requests.
    private final class LogBound: Sendable {
        let gate = Mutex(RepeatGate(interval: .seconds(10)))
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .put else { return try JSONReply.ok(LogLevels(levels)) }
        let body: [UInt8]
        do {
            body = try await request.readBody(upTo: Self.bodyLimit)
        } catch let error as HTTPWireError where error.code == .bodyTooLarge {
            return try refusal("the body has more than \(Self.bodyLimit) bytes", .contentTooLarge)
        }
        do throws(Malformed) {
            let wanted = try Self.parse(body)
            levels.set(
                wanted.level.map { LogLevel($0) } ?? levels.level,
                modules: wanted.modules.named
            )
        } catch {
            return try refusal(error.message, .badRequest)
        }
        let now = timeSource.now.monotonic
        guard log.gate.withLock({ $0.admit(at: now) }) != nil else { return try JSONReply.ok(LogLevels(levels)) }
        logger.info(
            "Log levels changed until the next reload or restart",
            [
                "log_level": .string(levels.level.rawValue),
                "log_levels": .string(
                    levels.moduleLevels.map { "\($0.key)=\($0.value.rawValue)" }.sorted().joined(separator: ",")
                ),
            ]
        )
        return try JSONReply.ok(LogLevels(levels))
    }

    struct Wanted: Equatable {
        var level: LoggingSettings.Level?
        var modules = ModuleLevels()
    }

    struct Malformed: Error {
        let message: String
    }

    static func parse(_ body: [UInt8]) throws(Malformed) -> Wanted {
        guard let text = String(validating: body, as: UTF8.self) else { throw Malformed(message: "it is not UTF-8") }
        let trimmed = text.drop { $0.isWhitespace }
        return trimmed.first == "{" ? try json(body) : try plain(String(trimmed.prefix { !$0.isNewline }))
    }

    private static func plain(_ text: String) throws(Malformed) -> Wanted {
        var wanted = Wanted()
        var rest = text[...]
        let first = rest.prefix { $0 != "," }
        if !first.contains("=") {
            wanted.level = try level(String(first.filter { $0 != " " }))
            rest = rest.dropFirst(first.count + 1)
        }
        wanted.modules = try modules(String(rest))
        return wanted
    }

    private static func json(_ body: [UInt8]) throws(Malformed) -> Wanted {
        struct Body: Decodable {
            var level: String?
            var modules: [String: String]?
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
            throw Malformed(message: #"expected {"level": "info", "modules": {"client": "debug"}}"#)
        }
        guard body.level != nil || body.modules != nil else {
            throw Malformed(message: "there must be level or modules")
        }
        var wanted = Wanted()
        if let level = body.level { wanted.level = try Self.level(level) }
        wanted.modules = try modules(
            (body.modules ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
        )
        return wanted
    }

    private static func level(_ text: String) throws(Malformed) -> LoggingSettings.Level {
        guard let level = LoggingSettings.Level(rawValue: text.lowercased()) else {
            throw Malformed(message: "the levels are debug, info, warn and error")
        }
        return level
    }

    private static func modules(_ text: String) throws(Malformed) -> ModuleLevels {
        do throws(ModuleLevels.Malformed) {
            return try ModuleLevels(text)
        } catch {
            throw Malformed(message: error.description)
        }
    }

    private func refusal(_ message: String, _ status: HTTPStatus) throws -> HTTPResponse {
        struct Refusal: Encodable {
            var error: String
        }
        var response = try JSONReply.ok(Refusal(error: message))
        response.status = status
        return response
    }
}
