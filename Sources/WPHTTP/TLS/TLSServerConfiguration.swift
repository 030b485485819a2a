// SPDX-License-Identifier: MIT

/// The files that one side of TLS proves itself with.
public struct TLSIdentityFiles: Sendable, Hashable {
    /// A PEM file with the certificate and, after it, the intermediate authorities.
    package var certificateFile: String
    /// A PEM file with the certificate's private key, without a passphrase.
    package var keyFile: String

    /// Creates the pair.
    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// A version of TLS that a server may ask for at least.
public enum TLSVersion: String, Sendable, Hashable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    case v12 = "1.2"
    /// TLS 1.3 (RFC 8446).
    case v13 = "1.3"
}

/// What a TLS server shows its clients, and what it asks of them.
public struct TLSServerConfiguration: Sendable, Hashable {
    /// The server's certificate and key.
    package var identity: TLSIdentityFiles
    /// A PEM file of the authorities that issue the clients' certificates; nil asks clients for none. Default nil.
    package var clientAuthorityFile: String?
    /// Whether a client without a certificate is turned away; if not, one that shows a certificate must show a valid
    /// one all the same. Without meaning when ``clientAuthorityFile`` is nil. Default true.
    package var requiresClientCertificate: Bool
    /// DNS names of which a client's certificate must have one among its alternative names, exactly; none asks for
    /// none. Default none.
    package var clientNames: [String]
    /// The oldest version that is spoken. Default 1.2.
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

    /// All files that it names.
    package var files: [String] {
        [identity.certificateFile, identity.keyFile] + (clientAuthorityFile.map { [$0] } ?? [])
    }
}
