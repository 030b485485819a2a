// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Whom a certificate is for, and when it is good.
package struct CertificateSubject: Sendable, Hashable {
    /// The common name, 1 to 64 characters. Clients go by ``names`` and only show this one.
    package var commonName: String
    /// The names and addresses that a client may have asked for (subjectAltName, RFC 5280, section 4.2.1.6).
    package var names: [Name]
    /// From when the certificate is good; 1970 or later.
    package var notBefore: Date
    /// Until when the certificate is good; before the year 10000. May be past, for a test of expiry.
    package var notAfter: Date

    /// A name or address of a server.
    package enum Name: Sendable, Hashable {
        /// A DNS name in ASCII; a first label of `*` stands for any.
        case dns(String)
        /// An IPv4 or IPv6 address.
        case ip(String)

        /// The names by which a server on this computer is reached.
        package static let loopback: [Name] = [.dns("localhost"), .ip("127.0.0.1"), .ip("::1")]
    }

    /// Creates a subject, by default one for this computer that is good for a year from an hour ago: clocks differ.
    package init(
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

    /// ``names`` in the notation of OpenSSL's configuration files. Only what can't mean anything else in that notation
    /// is let through.
    func namesText() throws(CertificateError) -> String {
        var parts: [String] = []
        for name in names {
            switch name {
            case .dns(let text):
                let isName = !text.isEmpty && text.utf8.count <= 253 && text.utf8.allSatisfy(Self.isNameByte)
                guard isName else { throw .invalid("the DNS name \(text.debugDescription) can't stand in one") }
                parts.append("DNS:\(text)")
            case .ip(let text):
                let isAddress = !text.isEmpty && text.utf8.count <= 45 && text.utf8.allSatisfy(Self.isAddressByte)
                guard isAddress else { throw .invalid("\(text.debugDescription) is no IP address") }
                parts.append("IP:\(text)")
            }
        }
        return parts.joined(separator: ",")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "*"): true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }
}

extension CertificateError {
    static func invalid(_ reason: String) -> CertificateError {
        CertificateError(code: .invalid, message: "can't make a certificate: \(reason)")
    }
}
