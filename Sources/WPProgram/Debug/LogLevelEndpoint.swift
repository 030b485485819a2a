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
final class LogLevelEndpoint: HTTPHandler {
    static let bodyLimit = 1024

    private let levels: LogThreshold
    private let modules: ModuleLevels
    private let timeSource: any TimeSource
    private let logger: Logger
    /// Limits the rate of log records about requests.
    private let log = Mutex(RepeatGate(interval: .seconds(10)))

    init(levels: LogThreshold, modules: [String], timeSource: any TimeSource, logger: Logger) {
        self.levels = levels
        self.modules = ModuleLevels(modules)
        self.timeSource = timeSource
        self.logger = logger
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .put else { return try JSONReply.ok(LogLevels(levels)) }
        let body: [UInt8]
        do {
            body = try await request.readBody(upTo: Self.bodyLimit)
        } catch let error as HTTPWireError where error.code == .bodyTooLarge {
            return try errorResponse("the body has more than \(Self.bodyLimit) bytes", .contentTooLarge)
        }
        do throws(ModuleLevels.Malformed) {
            let wanted = try parse(body)
            levels.set(wanted.level ?? levels.level, modules: wanted.modules)
        } catch {
            return try errorResponse(error.description, .badRequest)
        }
        let now = timeSource.now.monotonic
        guard log.withLock({ $0.admit(at: now) }) != nil else { return try JSONReply.ok(LogLevels(levels)) }
        logger.info(
            "Log levels changed until the next reload or restart",
            [
                "log_level": .string(levels.level.rawValue),
                "log_levels": .string(ModuleLevels.text(levels.moduleLevels)),
            ]
        )
        return try JSONReply.ok(LogLevels(levels))
    }

    private struct Wanted {
        var level: LogLevel?
        var modules: [String: LogLevel] = [:]
    }

    private func parse(_ body: [UInt8]) throws(ModuleLevels.Malformed) -> Wanted {
        guard let text = String(validating: body, as: UTF8.self) else {
            throw ModuleLevels.Malformed("it is not UTF-8")
        }
        let trimmed = text.drop { $0.isWhitespace }
        return trimmed.first == "{" ? try json(body) : try plain(String(trimmed.prefix { !$0.isNewline }))
    }

    private func plain(_ text: String) throws(ModuleLevels.Malformed) -> Wanted {
        var wanted = Wanted()
        var rest = text[...]
        let first = rest.prefix { $0 != "," }
        if !first.contains("=") {
            wanted.level = try ModuleLevels.level(String(first.filter { $0 != " " }))
            rest = rest.dropFirst(first.count + 1)
        }
        wanted.modules = try modules.parse(String(rest))
        return wanted
    }

    private func json(_ body: [UInt8]) throws(ModuleLevels.Malformed) -> Wanted {
        struct Body: Decodable {
            var level: String?
            var modules: [String: String]?
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
            throw ModuleLevels.Malformed(#"expected {"level": "info", "modules": {"client": "debug"}}"#)
        }
        guard body.level != nil || body.modules != nil else {
            throw ModuleLevels.Malformed("expected level or modules")
        }
        var wanted = Wanted()
        if let level = body.level { wanted.level = try ModuleLevels.level(level) }
        wanted.modules = try modules.parse(
            (body.modules ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
        )
        return wanted
    }

    private func errorResponse(_ message: String, _ status: HTTPStatus) throws -> HTTPResponse {
        struct ErrorBody: Encodable {
            var error: String
        }
        var response = try JSONReply.ok(ErrorBody(error: message))
        response.status = status
        return response
    }
}
