// SPDX-License-Identifier: MIT

import WPHTTP
import WPModel

extension APICall {
    /// The failure for a transport error.
    /// - Parameter boundByReading: whether the remaining time of the poll, rather than the request timeout, limited the
    ///   request.
    func failure(_ error: HTTPClientError, boundByReading: Bool) -> DeviceSourceError {
        let (reason, answered, hint): (FailureReason, Bool, DeviceSourceError.Hint) =
            switch error.code {
            case .resolve: (.connect, false, .checkHostName)
            case .connect: (.connect, false, .checkServerRuns)
            case .closed: (.connect, false, .checkScheme)
            case .tls(let fault): (.tls, false, Self.hint(on: fault))
            case .timeout: (.timeout, false, boundByReading ? .raiseReadingTimeout : .raiseExchangeTimeout)
            case .malformed: (.http, true, .checkSchemeAndPort)
            case .headersTooLarge: (.http, true, .checkServerAddress)
            case .bodyTooLarge: (.http, true, endpoint == .login ? .raiseReplyLimit : .lowerPageSize)
            case .invalidRequest: (.internal, false, .checkPaths)
            }
        // The transport's message already names the request, the server and the reason.
        let stop = error.message.hasSuffix(".") ? "" : "."
        return failure(reason, sentence: "\(purpose): \(error.message)\(stop)", hint: hint, reachedServer: answered)
    }

    private static func hint(on fault: HTTPClientError.TLSFault) -> DeviceSourceError.Hint {
        switch fault {
        case .unknownAuthority: .trustAuthority
        case .expired: .renewCertificate
        case .wrongName: .useCertificateName
        case .protocolMismatch: .checkTLSPort
        case .other: .checkCertificate
        }
    }

    /// The failure for a status that indicates neither success nor rejected authentication.
    func failure(status: HTTPStatus) -> DeviceSourceError {
        let hint: DeviceSourceError.Hint =
            switch status.code {
            case 300...399: .useFinalAddress
            case 404, 405: endpoint == .login ? .checkLoginPath : .checkDevicesPath
            case 408, 429: .readLessOften
            case 500...599: .checkServerLog
            default: .checkServerAddress
            }
        return failure(.http, "the server answered HTTP \(status.code)", hint: hint, reachedServer: true)
    }

    /// The failure for an invalid reply.
    func failure(_ fault: ReplyFault) -> DeviceSourceError {
        failure(.decode, fault.problem, hint: fault.hint, reachedServer: true)
    }
}
