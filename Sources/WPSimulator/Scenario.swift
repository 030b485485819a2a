// SPDX-License-Identifier: MIT

/// A scenario: how the simulated WinPower server, or the devices behind it, behave.
///
/// The raw value is the name on a command line. Scenarios from ``serverError`` on concern every reply of the API,
/// logging in included; set one after the client has logged in to see it on the device list alone.
public enum Scenario: String, CaseIterable, Sendable, Hashable {
    /// Mains power, no alarms.
    case normal
    /// Mains have failed: every device runs on its battery, which drains by what the load draws.
    case onBattery = "on-battery"
    /// Devices of even index have three phases, the others one.
    case threePhase = "three-phase"
    /// Every device has alarms, as text, as objects, or both; the first one has a fault.
    case alarm
    /// Each device spoils some values in one way.
    case missingFields = "missing-fields"
    /// WinPower does not reach devices of even index and repeats their last values.
    case disconnected
    /// There are no devices.
    case empty
    /// `total` counts one device more than the pages hold.
    case missingDevices = "missing-devices"
    /// Every page is the first one, whatever page was asked for.
    case repeatedPage = "repeated-page"
    /// Right credentials are refused too.
    case loginRefused = "login-refused"
    /// Logging in works, and no token is accepted.
    case tokenRefused = "token-refused"
    /// The device list is an application error: HTTP 200 with a `code` that is no success.
    case applicationError = "application-error"
    /// HTTP 500, 502 and 503 in turn.
    case serverError = "5xx"
    /// HTTP 200 with bodies that are not what they should be, in turn.
    case garbage
    /// The body breaks off at its half, and the connection with it.
    case truncated
    /// The body does not end.
    case oversized
    /// The body is small on the wire and very large after decompression.
    case gzipBomb = "gzip-bomb"
    /// The body comes one byte at a time.
    case drip
    /// Replies come late.
    case slow
    /// Replies never come.
    case hang

    /// One line for a help text.
    package var summary: String {
        switch self {
        case .normal: "mains power, no alarms"
        case .onBattery: "mains failed, batteries drain"
        case .threePhase: "every other device has three phases"
        case .alarm: "alarms on every device, a fault on the first"
        case .missingFields: "values missing, empty, not numeric, out of range, or of another JSON type"
        case .disconnected: "every other device unreachable for WinPower"
        case .empty: "no devices"
        case .missingDevices: "fewer devices than the reply's total"
        case .repeatedPage: "the first page for every page number"
        case .loginRefused: "all credentials are refused"
        case .tokenRefused: "all tokens are refused"
        case .applicationError: "an error code in an HTTP 200 reply"
        case .serverError: "HTTP 500, 502 and 503"
        case .garbage: "bodies that are not API replies"
        case .truncated: "truncated bodies"
        case .oversized: "endless bodies"
        case .gzipBomb: "bodies that are endless after decompression"
        case .drip: "bodies sent byte by byte"
        case .slow: "late replies"
        case .hang: "no replies"
        }
    }
}

/// A way in which a device spoils the values of ``fields`` in ``Scenario/missingFields``.
package enum FieldDefect: CaseIterable, Sendable, Hashable {
    /// The key is not there.
    case missing
    /// `""`.
    case empty
    /// `"NaN"`.
    case notANumber
    /// `"abc"`.
    case text
    /// `"1e999"`, which no Double holds.
    case tooLarge
    /// `"-1"`, which none of the fields can be.
    case negative
    /// The right value as a JSON number, which a client must accept.
    case number
    /// `null`.
    case null

    /// The fields of `realtime` that are spoilt. None of them can be negative.
    package static let fields = [
        "inputVolt1", "loadPercent", "batVoltP", "outputCurrent1", "batRemainTime", "loadTotalVa", "loadTotalWatt",
    ]

    /// The defect of a device: they take turns, in the order of `allCases`.
    /// - Parameter index: the device's index, from 0.
    package static func ofDevice(at index: Int) -> FieldDefect {
        allCases[Int(index.magnitude % UInt(allCases.count))]
    }
}
