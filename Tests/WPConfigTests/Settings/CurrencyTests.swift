// SPDX-License-Identifier: MIT

import Testing

@testable import WPConfig

@Suite("energy.currency")
struct CurrencyTests {
    @Test(arguments: ["CNY", "€", "元/kWh", "12345678"])
    func takesShortTexts(_ text: String) throws {
        #expect(try Loading.load(yaml: "energy: {currency: \"\(text)\"}").settings.energy.currency == text)
    }

    @Test(arguments: ["123456789", "U S", "a\\u202E", "a\\u0007", "e\\u0301e\\u0301e\\u0301e\\u0301e"])
    func refusesWhatIsLongOrCantBeSeen(_ text: String) {
        #expect(Loading.faults(yaml: "energy: {currency: \"\(text)\"}").count == 1, "\(text)")
    }

    @Test func isNotSetByItself() {
        #expect(ExporterSettings().energy.currency == nil)
    }
}
