// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing

@testable import WPConfig
import WPProgram
@testable import WPSettings

@Suite("energy.currency")
struct CurrencyTests {
    @Test(arguments: ["CNY", "€", "元/kWh", "12345678"])
    func acceptsShortStrings(_ text: String) throws {
        #expect(try Loading.load(yaml: "energy: {currency: \"\(text)\"}").settings.energy.tariff.currency == text)
    }

    @Test(arguments: ["123456789", "U S", "a\\u202E", "a\\u0007", "e\\u0301e\\u0301e\\u0301e\\u0301e"])
    func rejectsLongAndInvisibleStrings(_ text: String) {
        #expect(Loading.faults(yaml: "energy: {currency: \"\(text)\"}").count == 1, "\(text)")
    }

    @Test func isUnsetByDefault() {
        #expect(ExporterSettings().energy.tariff.currency == nil)
    }
}
