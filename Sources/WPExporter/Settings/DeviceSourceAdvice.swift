// SPDX-License-Identifier: MIT

import WPModel

/// A device source that adds a remedy to its errors, in terms of this program's settings.
struct AdvisedDeviceSource: DeviceSource {
    private let source: any DeviceSource

    init(_ source: any DeviceSource) {
        self.source = source
    }

    func readDevices() async throws -> [DeviceReading] {
        do {
            return try await source.readDevices()
        } catch var error as DeviceSourceError {
            if let hint = error.hint { error.message += " " + hint.advice }
            throw error
        }
    }
}

extension DeviceSourceError.Hint {
    /// The remedy, with the names of the settings.
    var advice: String {
        switch self {
        case .checkHostName: "Check the host in winpower.base_url and this machine's name resolution."
        case .checkServerRuns: "Check that WinPower runs, and the host and port in winpower.base_url."
        case .checkScheme: "WinPower may be restarting; check the scheme (http or https) in winpower.base_url."
        case .checkSchemeAndPort:
            "Check that winpower.base_url names a WinPower server, with the right scheme and port."
        case .checkServerAddress: "Check that winpower.base_url is right and names a WinPower G2 server."
        case .checkPaths: "Check winpower.base_url, winpower.login_path and winpower.devices_path."
        case .checkLoginPath: "Check winpower.base_url and winpower.login_path."
        case .checkDevicesPath: "Check winpower.base_url and winpower.devices_path."
        case .useFinalAddress:
            """
            Redirects are not followed, because the credentials would travel to another address. \
            Set winpower.base_url to the final one.
            """
        case .raiseExchangeTimeout: "Raise winpower.api_timeout, or find out why WinPower is slow."
        case .raiseReadingTimeout: "Raise winpower.timeout, or find out why WinPower is slow."
        case .raiseReplyLimit:
            "Check that winpower.base_url names a WinPower server, or raise winpower.max_response_bytes."
        case .lowerPageSize: "Lower winpower.page_size or raise winpower.max_response_bytes."
        case .readLessOften: "The server limits the rate of requests: raise scheduler.collection_interval."
        case .narrowDeviceList: "Narrow the list with winpower.device_type."
        case .trustAuthority:
            """
            Give the server's certificate, or its authority's, in winpower.ca_file, or its fingerprint in \
            winpower.tls_fingerprint; or, on a network that you trust, set winpower.skip_ssl_verify.
            """
        case .renewCertificate:
            "Renew the server's certificate and check both clocks; winpower.skip_ssl_verify accepts it meanwhile."
        case .useCertificateName:
            "Use the name that the certificate is for in winpower.base_url, or set winpower.tls_server_name to it."
        case .checkTLSPort: "Check the scheme (http or https) and the port in winpower.base_url."
        case .checkCertificate:
            """
            Check winpower.ca_file, winpower.tls_fingerprint and the server's certificate; winpower.skip_ssl_verify \
            accepts any certificate, on a network that you trust.
            """
        case .checkCredentials: "Check winpower.username and winpower.password."
        case .checkCredentialSources: "Check winpower.username, winpower.password and winpower.password_file."
        case .checkPermissions: "Check that the account in winpower.username may read the devices."
        case .checkProxy: "Check winpower.base_url, and any proxy between here and WinPower."
        case .checkServerLog: "The fault is on the server's side; WinPower's own log may say more."
        case .waitForNextReading: "The list may have changed during the reading; the next collection reads it again."
        case .reportFault: "Please report this."
        }
    }
}
