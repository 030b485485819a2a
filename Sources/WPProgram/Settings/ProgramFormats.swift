// SPDX-License-Identifier: MIT

import WPCommandLine
import WPLogging
package import WPSettings

/// The formats of `server.*` and `logging.*`.
extension SettingFormat where Value == String {
    /// The user name of Basic authentication, which ends at the first colon of the credentials (RFC 7617, section 2).
    static var userName: Self {
        let format = Self.text
        return Self(type: .text) { (text: String) throws(SettingMismatch) -> String in
            guard !text.contains(":") else {
                throw SettingMismatch(hint: "a user name of Basic authentication cannot contain a colon")
            }
            return try format.parse(text)
        } text: {
            $0
        }
    }

    /// Names separated by commas, at least one.
    package static var names: Self {
        let format = Self.text
        let type = CustomSettingType(
            expectation: "names separated by commas",
            summary: "names separated by commas",
            placeholder: "NAMES"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            guard text.contains(where: { $0 != "," && $0 != " " }) else {
                throw SettingMismatch(hint: "it names nobody")
            }
            return try format.parse(text)
        } text: {
            $0
        }
    }
}

extension SettingFormat where Value == LoggingSettings.Output {
    /// The destination of the log.
    static var output: Self {
        let path = SettingFormat<String>.path
        let type = CustomSettingType(
            expectation: "stdout, stderr or the path of a file",
            summary: "stdout, stderr or a path",
            placeholder: "OUTPUT",
            suggestions: .init(["stdout", "stderr"], andFiles: true)
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> LoggingSettings.Output in
            LoggingSettings.Output(try path.parse(text))
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == [String: LogLevel] {
    /// The log levels of individual modules.
    /// - Parameter modules: the names of the program's loggers.
    static func moduleLevels(_ modules: [String]) -> Self {
        let levels = ModuleLevels(modules)
        let type = CustomSettingType(
            expectation: "modules and their levels, such as http=debug,server=warn",
            summary: "module=level, … with the modules " + levels.modules.joined(separator: ", "),
            placeholder: "MODULE=LEVEL,..."
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> [String: LogLevel] in
            do throws(ModuleLevels.Malformed) {
                return try levels.parse(text)
            } catch {
                throw SettingMismatch(hint: error.description)
            }
        } text: {
            ModuleLevels.text($0)
        }
    }
}

extension SettingFormat where Value == [ListenAddress] {
    /// Addresses to listen on.
    static var addresses: Self {
        Self(expecting: "HOST:PORT separated by commas", placeholder: "ADDRESSES") {
            (text: String) throws(SettingMismatch) -> [ListenAddress] in
            var addresses: [ListenAddress] = []
            for part in text.split(separator: ",") {
                guard let address = ListenAddress(String(part.trimmingPrefix(" "))) else {
                    throw SettingMismatch(hint: "\(part) is not HOST:PORT")
                }
                guard !addresses.contains(address) else { throw SettingMismatch(hint: "\(part) appears twice") }
                addresses.append(address)
            }
            guard !addresses.isEmpty else { throw SettingMismatch(hint: "it names no address") }
            return addresses
        } text: {
            $0.map(\.description).joined(separator: ",")
        }
    }
}
