// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
import WPServer
import WPSimulator

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Serves pages that the simulator generated once, so that the benchmark does not measure the server.
enum RecordedServer {
    private static let pageSize = 100

    static func run(devices: Int) async throws {
        let simulator = WinPowerSimulator(
            configuration: SimulatorConfiguration(deviceCount: devices, pageCap: pageSize, chunked: false)
        )
        let login = try await simulator.respond(
            to: HTTPRequest(
                method: .post,
                target: "/api/v1/auth/login",
                headers: ["Content-Type": "application/json"],
                body: Array(#"{"username":"admin","password":"admin"}"#.utf8)
            )
        )
        let text = String(decoding: login.bytes, as: UTF8.self)
        guard let mark = text.firstRange(of: #""token":"#),
            let token = text[mark.upperBound...].split(separator: "\"").first(where: { $0.contains(".") })
        else { throw Unexpected() }
        var plain: [HTTPResponse] = []
        var compressed: [HTTPResponse] = []
        for page in 1...max(1, (devices + pageSize - 1) / pageSize) {
            let target = "/api/v1/deviceData/detail/list?current=\(page)&pageSize=\(pageSize)&pageNum=\(page)"
            var headers: HTTPFields = ["Authorization": "Bearer \(token)"]
            plain.append(try await simulator.respond(to: HTTPRequest(target: target, headers: headers)))
            headers["Accept-Encoding"] = "gzip"
            compressed.append(try await simulator.respond(to: HTTPRequest(target: target, headers: headers)))
        }
        let (plainPages, compressedPages) = (plain, compressed)
        let server = HTTPServer(
            HTTPServer.Configuration(host: "127.0.0.1", port: 0),
            handler: ClosureHTTPHandler { request in
                guard request.method == .get else { return login }
                let number = request.query?.split(separator: "&").first { $0.hasPrefix("current=") }
                    .flatMap { Int($0.dropFirst("current=".count)) }
                let pages =
                    request.headers["Accept-Encoding"]?.contains("gzip") == true ? compressedPages : plainPages
                guard let number, (1...pages.count).contains(number) else { return HTTPResponse(status: .notFound) }
                return pages[number - 1]
            }
        )
        try server.bind()
        print("http://127.0.0.1:\(server.port ?? 0)")
        // print buffers output to a pipe until the program exits.
        fflush(nil)
        try await server.run()
    }

    private struct Unexpected: Error {}
}
