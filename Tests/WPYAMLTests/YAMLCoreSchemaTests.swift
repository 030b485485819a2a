// SPDX-License-Identifier: MIT

import Testing
import WPYAML

/// The examples of YAML 1.2.2, chapter 10.3, and edge cases.
@Suite struct YAMLCoreSchemaTests {
    @Test(
        arguments: [
            ("", .null), ("~", .null), ("null", .null), ("Null", .null), ("nULL", .string("nULL")),
            ("true", .boolean(true)), ("FALSE", .boolean(false)), ("yes", .string("yes")), ("tRUE", .string("tRUE")),
            ("0", .integer(0)), ("-19", .integer(-19)), ("+7", .integer(7)), ("0644", .integer(644)),
            ("0o14", .integer(12)), ("0x3A", .integer(58)), ("0o8", .string("0o8")), ("0x", .string("0x")),
            ("-0o14", .string("-0o14")), ("1_000", .string("1_000")), ("-", .string("-")), ("+", .string("+")),
            ("9223372036854775807", .integer(.max)),
            ("0.", .float(0)), (".5", .float(0.5)), ("-0.0", .float(-0.0)), ("+12e03", .float(12000)),
            ("-2E-05", .float(-2e-5)),
            (".", .string(".")), ("1e", .string("1e")), ("1e+", .string("1e+")), ("1.2.3", .string("1.2.3")),
            ("5s", .string("5s")),
            (".inf", .float(.infinity)), ("-.INF", .float(-.infinity)), ("inf", .string("inf")),
        ] as [(String, YAMLValue)]
    )
    func resolvesAPlainScalar(_ text: String, _ expected: YAMLValue) {
        #expect(YAMLScalar(text).resolved() == expected)
    }

    @Test(arguments: ["9223372036854775808", "0xFFFFFFFFFFFFFFFFF", "1e999", "-1.5e400"])
    func rejectsAValueThatCannotBeRepresented(_ text: String) {
        #expect(YAMLScalar(text).resolved() == nil)
    }

    @Test func parsesNotANumber() {
        guard case .float(let value)? = YAMLScalar(".nan").resolved() else {
            Issue.record("not a float")
            return
        }
        #expect(value.isNaN)
    }

    @Test(arguments: [YAMLScalar.Style.singleQuoted, .doubleQuoted, .literal, .folded])
    func treatsOtherScalarsAsStrings(_ style: YAMLScalar.Style) {
        #expect(YAMLScalar("1", style: style).resolved() == .string("1"))
        #expect(YAMLScalar("", style: style).isNull == false)
    }

    @Test(
        arguments: [
            ("1", .string, .string("1")), ("", .null, .null), ("x", .null, nil), ("true", .boolean, .boolean(true)),
            ("1", .boolean, nil), ("12", .integer, .integer(12)), ("1.5", .integer, nil), ("1.5", .float, .float(1.5)),
            ("2", .float, .float(2)), ("x", .float, nil), ("x", .sequence, nil), ("x", .mapping, nil),
        ] as [(String, YAMLTag, YAMLValue?)]
    )
    func appliesTags(_ text: String, _ tag: YAMLTag, _ expected: YAMLValue?) {
        #expect(YAMLScalar(text, style: .doubleQuoted, tag: tag).resolved() == expected)
    }
}
