// SPDX-License-Identifier: MIT

/// A scenario: how the simulated WinPower server or the devices behind it behave.
///
/// The raw value is the name on a command line. Scenarios from ``serverError`` on apply to all API replies, including
/// the login; set one after the login to apply it only to the device list.
public enum Scenario: String, CaseIterable, Sendable, Hashable {
    /// Mains power, no alarms.
    case normal
    /// Mains power has failed: every device runs on battery, and its load drains the battery.
    case onBattery = "on-battery"
    /// Devices with an even index have three phases, the others one.
    case threePhase = "three-phase"
    /// Every device has alarms, as text, as objects, or both; the first one has a fault.
    case alarm
    /// The values of each device have one kind of defect.
    case missingFields = "missing-fields"
    /// WinPower cannot reach devices with an even index and repeats their last values.
    case disconnected
    /// There are no devices.
    case empty
    /// `total` is one more than the number of devices on the pages.
    case missingDevices = "missing-devices"
    /// Every page is the first page.
    case repeatedPage = "repeated-page"
    /// Correct credentials are rejected.
    case loginRefused = "login-refused"
    /// The login succeeds, but no token is accepted.
    case tokenRefused = "token-refused"
    /// The reply to a device list request is an application error: HTTP 200 with an error `code`.
    case applicationError = "application-error"
    /// HTTP 500, 502 and 503 in turn.
    case serverError = "5xx"
    /// HTTP 200 with several kinds of invalid bodies, in turn.
    case garbage
    /// The body is truncated halfway, and the connection is closed.
    case truncated
    /// The body does not end.
    case oversized
    /// The body is small on the wire and very large after decompression.
    case gzipBomb = "gzip-bomb"
    /// The body is sent one byte at a time.
    case drip
    /// Replies are delayed.
    case slow
    /// Replies are never sent.
    case hang

    /// A one-line summary for help.
    package var summary: String {
        switch self {
        case .normal: "mains power, no alarms"
        case .onBattery: "mains failed, batteries drain"
        case .threePhase: "every other device has three phases"
        case .alarm: "alarms on every device, a fault on the first"
        case .missingFields: "values missing, empty, not numeric, out of range, or of the wrong JSON type"
        case .disconnected: "every other device out of WinPower's reach"
        case .empty: "no devices"
        case .missingDevices: "fewer devices than the reply's total"
        case .repeatedPage: "the first page for every page number"
        case .loginRefused: "all credentials are rejected"
        case .tokenRefused: "all tokens are rejected"
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

/// The defect of the values of ``fields`` in ``Scenario/missingFields``.
package enum FieldDefect: CaseIterable, Sendable, Hashable {
    /// The key is missing.
    case missing
    /// `""`.
    case empty
    /// `"NaN"`.
    case notANumber
    /// `"abc"`.
    case text
    /// `"1e999"`, which exceeds the range of `Double`.
    case tooLarge
    /// `"-1"`, invalid for all fields.
    case negative
    /// The correct value as a JSON number, which a client must accept.
    case number
    /// `null`.
    case null

    /// The affected fields of `realtime`. None can be negative.
    package static let fields = [
        "inputVolt1", "loadPercent", "batVoltP", "outputCurrent1", "batRemainTime", "loadTotalVa", "loadTotalWatt",
    ]

    /// The defect of a device, cycling through `allCases`.
    /// - Parameter index: the device's index, from 0.
    package static func ofDevice(at index: Int) -> FieldDefect {
        allCases[Int(index.magnitude % UInt(allCases.count))]
    }
}
