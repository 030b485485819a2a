// SPDX-License-Identifier: MIT

import WPHTTP
import WPModel

extension APICall {
    /// The failure that a transport's error means.
    /// - Parameter timeoutSetting: the setting that bounded this exchange.
    func failure(_ error: HTTPClientError, timeoutSetting: String) -> DeviceSourceError {
        let (reason, answered, advice): (FailureReason, Bool, String) =
            switch error.code {
            case .resolve:
                (.connect, false, "Check the host in winpower.base_url and this machine's name resolution.")
            case .connect:
                (.connect, false, "Check that WinPower runs, and the host and port in winpower.base_url.")
            case .closed:
                (.connect, false, "WinPower may be restarting; check the scheme (http or https) in winpower.base_url.")
            case .tls(let fault):
                (.tls, false, Self.advice(on: fault))
            case .timeout:
                (.timeout, false, "Raise \(timeoutSetting), or find out why WinPower is slow.")
            case .malformed:
                (.http, true, "Check that winpower.base_url names a WinPower server, with the right scheme and port.")
            case .headersTooLarge:
                (.http, true, "Check that winpower.base_url names a WinPower server.")
            case .bodyTooLarge:
                (.http, true, adviceOnLargeBody)
            case .invalidRequest:
                (.internal, false, "Check winpower.base_url, winpower.login_path and winpower.devices_path.")
            }
        // The transport's sentence says itself what was sent where, and what came of it.
        let stop = error.message.hasSuffix(".") ? "" : "."
        return failure(
            reason,
            sentence: "\(purpose): \(error.message)\(stop)",
            advice: advice,
            reachedServer: answered
        )
    }

    private var adviceOnLargeBody: String {
        switch endpoint {
        case .login: "Check that winpower.base_url names a WinPower server, or raise winpower.max_response_bytes."
        case .devices: "Lower winpower.page_size or raise winpower.max_response_bytes."
        }
    }

    private static func advice(on fault: HTTPClientError.TLSFault) -> String {
        switch fault {
        case .unknownAuthority:
            """
            Give the server's certificate, or its authority's, in winpower.ca_file; or, on a network that you trust, \
            set winpower.skip_ssl_verify.
            """
        case .expired:
            "Renew the server's certificate and check both clocks; winpower.skip_ssl_verify accepts it meanwhile."
        case .wrongName:
            "Use the name that the certificate is for in winpower.base_url, or set winpower.skip_ssl_verify."
        case .protocolMismatch:
            "Check the scheme (http or https) and the port in winpower.base_url."
        case .other:
            """
            Check winpower.ca_file and the server's certificate; winpower.skip_ssl_verify takes any certificate, on a \
            network that you trust.
            """
        }
    }

    /// The failure that a status other than 200 and the authentication ones means.
    func failure(status: HTTPStatus) -> DeviceSourceError {
        let pathSetting =
            switch endpoint {
            case .login: "winpower.login_path"
            case .devices: "winpower.devices_path"
            }
        let advice =
            switch status.code {
            case 300...399:
                """
                Redirects are not followed, because the credentials would travel to another address. \
                Set winpower.base_url to the final one.
                """
            case 404, 405: "Check winpower.base_url and \(pathSetting)."
            case 408, 429: "The server asks for fewer requests: raise scheduler.collection_interval."
            case 500...599: "The fault is on the server's side; WinPower's own log may say more."
            default: "Check that winpower.base_url names a WinPower server."
            }
        return failure(.http, "the server answered HTTP \(status.code)", advice: advice, reachedServer: true)
    }

    /// The failure that a reply without a usable content means.
    func failure(_ fault: ReplyFault) -> DeviceSourceError {
        failure(.decode, fault.problem, advice: fault.advice, reachedServer: true)
    }
}
