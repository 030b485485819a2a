// SPDX-License-Identifier: MIT

import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An HTTP proxy that forwards plain HTTP requests and tunnels HTTPS (CONNECT, RFC 9110, section 9.3.6). Certificate
/// verification is the same as without a proxy.
public struct HTTPProxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The address of the proxy, always over plain HTTP.
    package let origin: HTTPOrigin
    /// The value of Proxy-Authorization; nil without credentials.
    let authorization: String?

    /// Parses a URL such as `http://user:password@proxy.example:3128`. The scheme is optional; the default port is 80.
    /// A percent-encoded user name and password become Basic credentials (RFC 7617).
    /// - Throws: ``HTTPClientError/Code/invalidRequest`` for any other URL, such as that of a SOCKS proxy or a proxy
    ///   over TLS. The message never contains credentials.
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
        let address: Substring
        if let at = rest.lastIndex(of: "@") {
            credentials = rest[..<at]
            address = rest[rest.index(after: at)...]
        } else {
            credentials = nil
            address = rest
        }
        origin = try HTTPOrigin(parsing: "http://\(address)")
        guard origin.basePath.isEmpty else { throw Self.fault("it has a path") }
        guard let credentials else {
            authorization = nil
            return
        }
        guard let decoded = PercentEncoding.decode(credentials.utf8), decoded.allSatisfy({ !HTTPSyntax.isControl($0) })
        else {
            throw Self.fault("its user name or password is not percent-encoded")
        }
        // Without a colon, the password is empty.
        let pair = decoded.contains(HTTPSyntax.colon) ? decoded : decoded + [HTTPSyntax.colon]
        authorization = "Basic \(Data(pair).base64EncodedString())"
    }

    /// The proxy's URL without credentials.
    public var description: String { origin.description }

    /// Shows only the URL, so that a dump contains no credentials.
    public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }

    /// The CONNECT request for a tunnel to an origin.
    func tunnelRequest(to origin: HTTPOrigin) throws(ClientFault) -> [UInt8] {
        let name = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let target = "\(name):\(origin.port)"
        var headers: HTTPFields = ["Host": target]
        if let authorization { headers.append(name: "Proxy-Authorization", value: authorization) }
        var bytes: [UInt8] = []
        do throws(HTTPWireError) {
            try HTTPHeadWriter.write(HTTPRequestHead(method: .connect, target: target, headers: headers), to: &bytes)
        } catch {
            throw ClientFault(.invalidRequest, "the proxy cannot open a tunnel. \(error.message.dropLast())")
        }
        return bytes
    }

    private static func fault(_ reason: String) -> HTTPClientError {
        HTTPClientError(code: .invalidRequest, message: "The URL of the proxy cannot be used: \(reason).")
    }
}
