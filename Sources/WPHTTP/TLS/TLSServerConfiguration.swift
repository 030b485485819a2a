// SPDX-License-Identifier: MIT

/// The certificate and key files of a TLS server or client.
public struct TLSIdentityFiles: Sendable, Hashable {
    /// A PEM file with the certificate, followed by the intermediate authorities.
    package var certificateFile: String
    /// A PEM file with the certificate's private key, without a passphrase.
    package var keyFile: String

    /// Creates the pair.
    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// A minimum version of TLS.
public enum TLSVersion: String, Sendable, Hashable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    case v12 = "1.2"
    /// TLS 1.3 (RFC 8446).
    case v13 = "1.3"
}

/// The TLS configuration of a server.
public struct TLSServerConfiguration: Sendable, Hashable {
    /// The server's certificate and key.
    package var identity: TLSIdentityFiles
    /// A PEM file with the authorities for client certificates; nil to request none. Default nil.
    package var clientAuthorityFile: String?
    /// Whether a client certificate is required; if optional, it must still be valid. Ignored if
    /// ``clientAuthorityFile`` is nil. Default true.
    package var requiresClientCertificate: Bool
    /// The accepted DNS names in client certificates, one of which must match exactly; empty accepts any. Default
    /// empty.
    package var clientNames: [String]
    /// The minimum version. Default 1.2.
    package var minimumVersion: TLSVersion

    /// Creates a configuration.
    public init(
        identity: TLSIdentityFiles,
        clientAuthorityFile: String? = nil,
        requiresClientCertificate: Bool = true,
        clientNames: [String] = [],
        minimumVersion: TLSVersion = .v12
    ) {
        self.identity = identity
        self.clientAuthorityFile = clientAuthorityFile
        self.requiresClientCertificate = requiresClientCertificate
        self.clientNames = clientNames
        self.minimumVersion = minimumVersion
    }

    /// The paths of all its files.
    package var files: [String] {
        [identity.certificateFile, identity.keyFile] + (clientAuthorityFile.map { [$0] } ?? [])
    }
}
