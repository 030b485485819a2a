// SPDX-License-Identifier: MIT

package import WPModel

/// Which HTTP proxy connections to the WinPower server go through.
///
/// None is the default, whatever the environment says: a WinPower server is usually in the same network, and a variable
/// that was set for downloads should not send the password to another machine.
public enum ProxySetting: Sendable, Hashable, CustomStringConvertible {
    /// None.
    case none
    /// The one that `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` name.
    case environment
    /// The one at this address.
    case address(Address)

    /// The address of a proxy.
    public struct Address: Sendable, Hashable {
        /// The whole address, which may have a user name and a password.
        package let url: Secret
        /// The address without them, to be shown.
        package let display: String
    }

    /// Reads `none`, `environment`, or an address such as `http://user:password@proxy.example.com:3128`.
    /// - Throws: ``WinPowerURL/Malformed``, whose message quotes nothing of the text.
    public init(_ text: String) throws(WinPowerURL.Malformed) {
        switch text.lowercased() {
        case "none": self = .none
        case "environment": self = .environment
        default: self = .address(try Address(text))
        }
    }

    /// The setting as it may be shown: with `<REDACTED>` for a user name and password.
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
        var place = text[mark.upperBound...]
        var credentials = ""
        if let at = place.lastIndex(of: "@") {
            credentials = "\(Secret(""))@"
            place = place[place.index(after: at)...]
        }
        let url = try WinPowerURL("http://\(place)")
        guard url.path.isEmpty else { throw WinPowerURL.Malformed("a proxy's address must not have a path") }
        self.url = Secret(text)
        display = "http://\(credentials)\(url.description.dropFirst("http://".count))"
    }
}
