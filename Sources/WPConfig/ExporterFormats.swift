// SPDX-License-Identifier: MIT

import WPCommandLine
import WPSettings

/// Formats specific to the exporter's settings.
extension SettingFormat where Value == String {
    /// The path of an HTTP endpoint.
    static var endpoint: Self {
        let type = CustomSettingType(
            expectation: "a path that begins with /",
            summary: "URL path",
            placeholder: "URLPATH"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            guard text.hasPrefix("/"), text.utf8.allSatisfy(WinPowerURL.isPathByte) else { throw SettingMismatch() }
            return text
        } text: {
            $0
        }
    }

    /// A host name.
    static var hostName: Self {
        let type = CustomSettingType(expectation: "a host name", summary: "host name", placeholder: "NAME")
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            guard !text.isEmpty, text.utf8.allSatisfy(WinPowerURL.isNameByte) else {
                throw SettingMismatch(hint: "only letters, digits, dots, dashes and underscores are allowed")
            }
            return text
        } text: {
            $0
        }
    }

    /// The SHA-256 fingerprint of a certificate, with or without colons; stored in lower case without colons.
    static var fingerprint: Self {
        let type = CustomSettingType(
            expectation: "a SHA-256 fingerprint: 64 hexadecimal digits, with or without colons",
            summary: "SHA-256 fingerprint",
            placeholder: "FINGERPRINT"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
            let digits = pairs.joined().lowercased()
            guard digits.utf8.count == 64, pairs.count == 1 || pairs.allSatisfy({ $0.utf8.count == 2 }),
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else {
                throw SettingMismatch(hint: "`openssl x509 -noout -fingerprint -sha256` prints it")
            }
            return digits
        } text: {
            $0
        }
    }
}

extension SettingFormat where Value == WinPowerURL {
    /// The address of a WinPower server.
    static var url: Self { address("https://winpower.example.com") }

    /// The address of a hub.
    static var hub: Self { address("https://hub.example.com:8082", credentials: "hub.token_file") }

    /// - Parameter credentials: the setting for credentials, which the address must not contain; nil for WinPower's.
    private static func address(_ example: String, credentials: String? = nil) -> Self {
        let type = CustomSettingType(
            expectation: "an address such as \(example)",
            summary: "http(s) address",
            placeholder: "URL"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> WinPowerURL in
            if let credentials, text.contains("@") {
                let hint = "it must not contain a user name or password (@); use \(credentials)"
                throw SettingMismatch(hint: hint, isShowable: false)
            }
            do throws(WinPowerURL.Malformed) {
                return try WinPowerURL(text)
            } catch {
                throw SettingMismatch(hint: error.description, isShowable: false)
            }
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == ProxySetting {
    /// The proxy for connections to WinPower.
    static var proxy: Self {
        let type = CustomSettingType(
            expectation: "none, environment, or an address such as http://proxy.example.com:3128",
            summary: "none, environment or http address",
            placeholder: "PROXY",
            suggestions: .init(["none", "environment"]),
            mayHoldCredentials: true
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> ProxySetting in
            do throws(WinPowerURL.Malformed) {
                return try ProxySetting(text)
            } catch {
                throw SettingMismatch(hint: error.description, isShowable: false)
            }
        } text: {
            $0.description
        } check: { (_: ProxySetting) in
            // Nothing to check: `ProxySetting` validates its address and hides its password.
        }
    }
}
