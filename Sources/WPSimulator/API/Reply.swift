// SPDX-License-Identifier: MIT

import WPGzip
import WPHTTP

/// A reply, independent of its transfer.
struct Reply: Sendable {
    var status: HTTPStatus
    var headers: HTTPFields
    var body: [UInt8]

    init(status: HTTPStatus = .ok, contentType: String = "application/json;charset=UTF-8", body: [UInt8]) {
        self.status = status
        self.headers = ["Content-Type": contentType]
        self.body = body
    }

    init(status: HTTPStatus = .ok, _ json: JSON) {
        self.init(status: status, body: json.bytes)
    }

    /// This reply compressed with gzip; unchanged if zlib runs out of memory.
    func compressed() -> Reply {
        // lint: if zlib runs out of memory, the body is sent uncompressed
        guard let body = try? Gzip.compress(body) else { return self }
        var reply = self
        reply.body = body
        reply.headers["Content-Encoding"] = "gzip"
        return reply
    }

    static func notFound(path: Substring) -> Reply {
        error(.notFound, message: "No handler for \(path)")
    }

    static func methodNotAllowed(allow: HTTPMethod) -> Reply {
        var reply = error(.methodNotAllowed, message: "Method not supported")
        reply.headers["Allow"] = allow.rawValue
        return reply
    }

    static func error(_ status: HTTPStatus, message: String) -> Reply {
        Reply(
            status: status,
            .object([("code", .string(String(status.code))), ("message", .string(message)), ("data", .null)])
        )
    }

    static let loggedOut401 = Reply(
        status: .unauthorized,
        list(total: 0, pageSize: 20, page: 1, data: .null, code: "401", message: "Unauthorized")
    )

    static let loggedOut200 = Reply(
        .object([
            ("code", .string("401")),
            ("message", .string("没有登录或者令牌过期")),
            ("data", .string("Full authentication is required to access this resource")),
        ])
    )

    /// The code and text are invented, because those of the real server are unknown.
    static let wrongCredentials = Reply(
        .object([
            ("code", .string("100001")), ("message", .string("Wrong user name or password")), ("data", .null),
        ])
    )

    static let applicationError = Reply(
        list(total: 0, pageSize: 20, page: 1, data: .null, code: "500100", message: "Device service unavailable")
    )

    static func login(token: String, serverID: String) -> Reply {
        Reply(
            .object([
                ("code", .string("000000")),
                ("message", .string("OK")),
                ("data", .object([("deviceId", .string(serverID)), ("token", .string(token))])),
            ])
        )
    }

    static func devices(_ devices: [JSON], total: Int, pageSize: Int, page: Int) -> Reply {
        Reply(list(total: total, pageSize: pageSize, page: page, data: .array(devices), code: "000000", message: "OK"))
    }

    private static func list(
        total: Int,
        pageSize: Int,
        page: Int,
        data: JSON,
        code: String,
        message: String
    ) -> JSON {
        .object([
            ("total", .integer(total)),
            ("pageSize", .integer(pageSize)),
            ("currentPage", .integer(page)),
            ("data", data),
            ("code", .string(code)),
            ("msg", .string(message)),
        ])
    }
}
