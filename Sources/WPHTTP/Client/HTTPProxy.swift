// SPDX-License-Identifier: MIT

import COpenSSL
import WPText

/// An HTTP proxy: plain HTTP is sent to it whole, HTTPS goes through a tunnel that it opens (CONNECT, RFC 9110, section
/// 9.3.6), in which the server's certificate is verified as without it.
public struct HTTPProxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Where the proxy is. The scheme is always plain HTTP.
    package let origin: HTTPOrigin
    /// What Proxy-Authorization says; nil when the proxy asks for nothing.
    let authorization: String?

    /// Reads a URL such as `http://user:password@proxy.example:3128`. The scheme may be left out; the port is 80 when
    /// none is named. User name and password, if any, are percent-encoded and become Basic credentials (RFC 7617).
    /// - Throws: ``HTTPClientError/Code/invalidRequest`` for any other URL, such as one of a SOCKS proxy or a proxy over
    ///   TLS. The message never holds the credentials.
    public init(parsing url: String) throws(HTTPClientError) {
        let rest: Substring
        if let mark = url.firstRange(of: "://") {
            guard url[..<mark.lowerBound].lowercased() == "http" else {
                throw Self.fault("only http:// proxies can be used")
            }
            rest = url[mark.upperBound...]
        } else {
            rest = url[...]
        }
        let credentials: Substring?
        let place: Substring
        if let at = rest.lastIndex(of: "@") {
            credentials = rest[..<at]
            place = rest[rest.index(after: at)...]
        } else {
            credentials = nil
            place = rest
        }
        origin = try HTTPOrigin(parsing: "http://\(place)")
        guard origin.basePath.isEmpty else { throw Self.fault("it has a path") }
        guard let credentials else {
            authorization = nil
            return
        }
        guard let decoded = PercentEncoding.decode(credentials.utf8), decoded.allSatisfy({ !HTTPSyntax.isControl($0) })
        else {
            throw Self.fault("its user name or password is not percent-encoded as it should be")
        }
        // Without a colon there is a user name alone, whose password is empty.
        let pair = decoded.contains(HTTPSyntax.colon) ? decoded : decoded + [HTTPSyntax.colon]
        authorization = "Basic \(Self.base64(pair))"
    }

    /// The proxy's URL without credentials.
    public var description: String { origin.description }

    /// Shows the URL alone, so that a dump has no credentials.
    public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }

    /// The request for a tunnel to an origin.
    func tunnelRequest(to origin: HTTPOrigin) throws(ClientFault) -> [UInt8] {
        let name = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let target = "\(name):\(origin.port)"
        var headers: HTTPFields = ["Host": target]
        if let authorization { headers.append(name: "Proxy-Authorization", value: authorization) }
        var bytes: [UInt8] = []
        do throws(HTTPWireError) {
            try HTTPHeadWriter.write(HTTPRequestHead(method: .connect, target: target, headers: headers), to: &bytes)
        } catch {
            throw ClientFault(.invalidRequest, "the proxy can't be asked for a tunnel. \(error.message.dropLast())")
        }
        return bytes
    }

    private static func fault(_ reason: String) -> HTTPClientError {
        HTTPClientError(code: .invalidRequest, message: "The URL of the proxy can't be used: \(reason).")
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        // Four characters for every three bytes begun, and the NUL that OpenSSL adds.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self)
    }
}
