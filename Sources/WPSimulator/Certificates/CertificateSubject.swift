// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The subject and validity of a certificate.
public struct CertificateSubject: Sendable, Hashable {
    /// The common name, 1 to 64 characters. Clients check ``names`` and only display the common name.
    public var commonName: String
    /// The server's names and addresses (subjectAltName, RFC 5280, section 4.2.1.6).
    public var names: [Name]
    /// The start of validity; 1970 or later.
    public var notBefore: Date
    /// The end of validity; before the year 10000. May be in the past, to test expiry.
    public var notAfter: Date

    /// A name or address of a server.
    public enum Name: Sendable, Hashable {
        /// A DNS name in ASCII; the first label may be `*`.
        case dns(String)
        /// An IPv4 or IPv6 address.
        case ip(String)

        /// The names of a local server.
        public static let loopback: [Name] = [.dns("localhost"), .ip("127.0.0.1"), .ip("::1")]
    }

    /// Creates a subject, by default for this machine, valid for a year from an hour ago, to allow for clock skew.
    public init(
        commonName: String = "localhost",
        names: [Name] = Name.loopback,
        notBefore: Date = Date(timeIntervalSinceNow: -3600),
        notAfter: Date = Date(timeIntervalSinceNow: 365 * 86_400)
    ) {
        self.commonName = commonName
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// ``names`` in the notation of OpenSSL's configuration files. Characters that are special in that notation are
    /// rejected.
    func namesText() throws(CertificateError) -> String {
        var parts: [String] = []
        for name in names {
            switch name {
            case .dns(let text):
                let isName = !text.isEmpty && text.utf8.count <= 253 && text.utf8.allSatisfy(Self.nameBytes.contains)
                guard isName else {
                    throw .invalid("the DNS name \(text.debugDescription) is not valid in a certificate")
                }
                parts.append("DNS:\(text)")
            case .ip(let text):
                let isAddress =
                    !text.isEmpty && text.utf8.count <= 45 && text.utf8.allSatisfy(Self.addressBytes.contains)
                guard isAddress else { throw .invalid("\(text.debugDescription) is not an IP address") }
                parts.append("IP:\(text)")
            }
        }
        return parts.joined(separator: ",")
    }

    private static let addressBytes = Set("0123456789ABCDEFabcdef.:".utf8)
    private static let nameBytes = Set("-._*0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}

extension CertificateError {
    static func invalid(_ reason: String) -> CertificateError {
        CertificateError(code: .invalid, message: "cannot create a certificate: \(reason)")
    }
}
