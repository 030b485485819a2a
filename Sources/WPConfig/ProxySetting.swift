// SPDX-License-Identifier: MIT

package import WPCore

/// The HTTP proxy for connections to the WinPower server.
///
/// The default is none, regardless of the environment: a WinPower server is usually in the same network, and a variable
/// set for downloads should not send the password to another machine.
public enum ProxySetting: Sendable, Hashable, CustomStringConvertible {
    /// None.
    case none
    /// The proxy named by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment
    /// The proxy at this address.
    case address(Address)

    /// The address of a proxy.
    public struct Address: Sendable, Hashable {
        /// The full address, which may include a user name and a password.
        package let url: Secret
        /// The address without credentials, for display.
        package let display: String
    }

    /// Parses `none`, `environment`, or an address such as `http://user:password@proxy.example.com:3128`.
    /// - Throws: ``WinPowerURL/Malformed``, whose message does not quote the text.
    public init(_ text: String) throws(WinPowerURL.Malformed) {
        switch text.lowercased() {
        case "none": self = .none
        case "environment": self = .environment
        default: self = .address(try Address(text))
        }
    }

    /// The setting for display: with `<REDACTED>` instead of credentials.
    public var description: String {
        switch self {
        case .none: "none"
        case .environment: "environment"
        case .address(let address): address.display
        }
    }
}

extension ProxySetting.Address {
    fileprivate init(_ text: String) throws(WinPowerURL.Malformed) {
        guard let mark = text.firstRange(of: "://"), text[..<mark.lowerBound].lowercased() == "http" else {
            throw WinPowerURL.Malformed("only a proxy that begins with http:// can be used")
        }
        var address = text[mark.upperBound...]
        var credentials = ""
        if let at = address.lastIndex(of: "@") {
            credentials = "\(Secret(""))@"
            address = address[address.index(after: at)...]
        }
        let url = try WinPowerURL("http://\(address)")
        guard url.path.isEmpty else { throw WinPowerURL.Malformed("a proxy's address must not have a path") }
        self.url = Secret(text)
        display = "http://\(credentials)\(url.description.dropFirst("http://".count))"
    }
}
