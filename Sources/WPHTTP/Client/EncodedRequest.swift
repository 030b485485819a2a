// SPDX-License-Identifier: MIT

/// A validated and encoded request.
struct EncodedRequest: Sendable {
    /// Head and body.
    let bytes: [UInt8]
    /// The method.
    let method: HTTPMethod
    /// Whether the client itself, rather than the caller, requested a compressed body.
    let asksForCompression: Bool

    private static let ownFields = [
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "Expect", "Upgrade", "TE", "Trailer",
        "Proxy-Connection", "Proxy-Authorization", "Keep-Alive",
    ]

    /// Encodes a request to an origin.
    /// - Parameter proxy: the proxy that receives the request; nil if it goes to the origin, directly or through a
    ///   tunnel.
    /// - Throws: ``HTTPClientError/Code/invalidRequest`` if it cannot be encoded, or contains a field that the client
    ///   sets.
    init(
        _ request: HTTPRequest,
        to origin: HTTPOrigin,
        through proxy: HTTPProxy? = nil,
        userAgent: String,
        acceptsCompression: Bool
    ) throws(ClientFault) {
        guard request.method != .connect else {
            throw ClientFault(.invalidRequest, "CONNECT is not a request that this client can send")
        }
        guard request.target.utf8.first == UInt8(ascii: "/") else {
            throw ClientFault(.invalidRequest, "the target of a request has to begin with a slash")
        }
        for field in request.headers.all where Self.ownFields.contains(where: { HTTPFields.same($0, field.name) }) {
            throw ClientFault(.invalidRequest, "the field \(field.name) is set by the client itself; omit it")
        }
        method = request.method
        asksForCompression = acceptsCompression && request.headers["Accept-Encoding"] == nil
        var headers: HTTPFields = ["Host": origin.authority]
        if request.headers["User-Agent"] == nil, !userAgent.isEmpty {
            headers.append(name: "User-Agent", value: userAgent)
        }
        if asksForCompression { headers.append(name: "Accept-Encoding", value: "gzip, deflate") }
        for field in request.headers.all { headers.append(name: field.name, value: field.value) }
        // A method with a body sends Content-Length even if it is empty (RFC 9110, section 8.6).
        if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method.rawValue) {
            headers.append(name: "Content-Length", value: String(request.body.count))
        }
        if let authorization = proxy?.authorization {
            headers.append(name: "Proxy-Authorization", value: authorization)
        }
        // A request to a proxy needs the absolute form (RFC 9112, section 3.2.2).
        let start = proxy == nil ? origin.basePath : origin.description
        let head = HTTPRequestHead(method: request.method, target: start + request.target, headers: headers)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512 + request.body.count)
        do throws(HTTPWireError) {
            try HTTPHeadWriter.write(head, to: &bytes)
        } catch {
            throw ClientFault(.invalidRequest, "the request cannot be sent. \(error.message.dropLast())")
        }
        bytes.append(contentsOf: request.body)
        self.bytes = bytes
    }
}
