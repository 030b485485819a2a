// SPDX-License-Identifier: MIT

import WPHTTP

extension Reply {
    /// A failure of the server or a proxy: three kinds, in turn.
    static func serverError(_ number: Int) -> Reply {
        switch number % 3 {
        case 0: error(.internalServerError, message: "Internal Server Error")
        case 1: page(HTTPStatus(code: 502), title: "502 Bad Gateway")
        default: page(.serviceUnavailable, title: "503 Service Temporarily Unavailable")
        }
    }

    /// The number of kinds of ``garbage(_:)``.
    static let garbageKinds = 9

    /// A reply with status 200 that is not an API reply: several kinds, in turn.
    static func garbage(_ number: Int) -> Reply {
        switch number % garbageKinds {
        case 0:
            page(.ok, title: "WinPower")
        case 1:
            Reply(body: [])
        case 2:
            Reply(body: Array(#"{"total":1,"pageSize":20,"currentPage":1,"data":[{"assetDevice":{"id":"e1"#.utf8))
        case 3:
            Reply(.array([.string("not an object")]))
        case 4:
            Reply(.null)
        case 5:
            Reply(
                .object([
                    ("total", .string("one")), ("data", .object([("assetDevice", .number("7"))])),
                    ("code", .array([])), ("msg", .bool(true)),
                ])
            )
        case 6:
            // An overlong UTF-8 sequence and a lone continuation byte inside a string.
            Reply(body: Array(#"{"code":"0000"#.utf8) + [0xC0, 0xAF, 0x80] + Array(#"","data":[]}"#.utf8))
        case 7:
            Reply(body: [UInt8](repeating: UInt8(ascii: "["), count: 20_000))
        default:
            noise(UInt64(number.magnitude))
        }
    }

    private static func noise(_ seed: UInt64) -> Reply {
        var generator = SeededGenerator(seed: seed, stream: 0x6E6F_6973_65)
        return Reply(contentType: "application/octet-stream", body: generator.bytes(4096))
    }

    private static func page(_ status: HTTPStatus, title: String) -> Reply {
        let html = "<!DOCTYPE html><html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>\n"
        return Reply(status: status, contentType: "text/html", body: Array(html.utf8))
    }
}
