// SPDX-License-Identifier: MIT

import WPHost
import WPProgram
import WPSettings

extension SettingFormat where Value == HubAddress {
    /// The address of a hub.
    static var hub: Self {
        Self(expecting: "an address such as https://hub.example.com:8082", placeholder: "URL") {
            (text: String) throws(SettingMismatch) -> HubAddress in
            do throws(HubAddress.Malformed) {
                return try HubAddress(text)
            } catch {
                throw SettingMismatch(hint: error.description, isShowable: false)
            }
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == NamePattern {
    /// A regular expression for names.
    static var pattern: Self {
        Self(expecting: "a regular expression; ^$ for one that no name matches", placeholder: "REGEXP") {
            (text: String) throws(SettingMismatch) -> NamePattern in
            do throws(NamePatternError) {
                return try NamePattern(text)
            } catch {
                throw SettingMismatch(hint: error.description)
            }
        } text: {
            $0.description
        }
    }
}
