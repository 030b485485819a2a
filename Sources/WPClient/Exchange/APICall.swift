// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A call of the WinPower API: its endpoint and request.
struct APICall: Sendable {
    let endpoint: SourceEndpoint
    let request: HTTPRequest

    /// The login, with the credentials in the body.
    /// - Throws: if a string cannot be encoded as JSON; well-formed strings always can.
    static func login(_ credentials: WinPowerCredentials, path: String) throws -> APICall {
        struct Body: Encodable {
            let username: String
            let password: String
        }
        let body = Body(username: credentials.username, password: credentials.password.reveal())
        var headers = commonHeaders
        headers["Content-Type"] = "application/json"
        return APICall(
            endpoint: .login,
            request: HTTPRequest(
                method: .post,
                target: path,
                headers: headers,
                body: [UInt8](try JSONEncoder().encode(body))
            )
        )
    }

    /// One page of the device list.
    /// - Parameter page: the page's number, from 1.
    static func devices(
        page: Int,
        token: Secret,
        configuration: WinPowerClient.Configuration
    ) -> APICall {
        var query = [
            "current=\(page)", "pageSize=\(max(1, configuration.pageSize))",
            "areaId=\(percentEncoded(configuration.areaID))", "includeSubArea=true", "pageNum=\(page)",
        ]
        if let type = configuration.deviceType { query.append("deviceType=\(type)") }
        var headers = commonHeaders
        headers["Authorization"] = "Bearer \(token.reveal())"
        return APICall(
            endpoint: .devices,
            request: HTTPRequest(
                target: "\(configuration.devicesPath)?\(query.joined(separator: "&"))",
                headers: headers
            )
        )
    }

    /// A failure of this call; the message begins with the operation.
    func failure(
        _ reason: FailureReason,
        _ problem: String,
        hint: DeviceSourceError.Hint,
        reachedServer: Bool
    ) -> DeviceSourceError {
        failure(
            reason,
            sentence: "\(purpose) (\(request.method) \(request.path)) failed: \(problem).",
            hint: hint,
            reachedServer: reachedServer
        )
    }

    /// A failure of this call with a complete message.
    func failure(
        _ reason: FailureReason,
        sentence: String,
        hint: DeviceSourceError.Hint,
        reachedServer: Bool
    ) -> DeviceSourceError {
        DeviceSourceError(
            reason: reason,
            endpoint: endpoint,
            message: sentence,
            reachedServer: reachedServer,
            wasAuthenticated: false,
            hint: hint
        )
    }

    /// The operation, at the start of a message.
    var purpose: String {
        switch endpoint {
        case .login: "Logging in to WinPower"
        case .devices: "Reading the devices from WinPower"
        }
    }

    private static let commonHeaders: HTTPFields = [
        "Accept": "application/json, text/plain, */*",
        "Content-language": "en",
    ]

    /// Escapes everything except the unreserved characters of RFC 3986, section 2.3.
    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
                return String(character)
            }
            return (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
