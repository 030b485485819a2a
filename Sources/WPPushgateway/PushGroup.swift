// SPDX-License-Identifier: MIT

public import WPMetrics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The group that a push replaces and a delete removes: a job and labels, which the gateway adds to all metrics of the
/// group (github.com/prometheus/pushgateway, "API"). Valid by construction.
public struct PushGroup: Sendable, Hashable, CustomStringConvertible {
    /// The label `job`; not empty.
    public let job: String
    /// The labels besides the job.
    public let labels: LabelSet
    /// The percent-encoded path of the group, starting with `/metrics`.
    let path: String

    /// Creates a group.
    /// - Parameters:
    ///   - job: the name of the job; not empty.
    ///   - labels: the labels that distinguish this group from others of the job, such as `instance`. Without them,
    ///     each instance of a job replaces the others.
    /// - Throws: ``PushError/Code-swift.enum/invalidGroup`` for an empty job or a label name that is invalid, reserved,
    ///   repeated or `job`.
    public init(job: String, labels: KeyValuePairs<String, String> = [:]) throws(PushError) {
        let checked: LabelSet
        do throws(MetricError) {
            checked = try LabelSet(labels)
        } catch {
            throw PushError(.invalidGroup, "The group of the job \(job) cannot be pushed to: \(error).")
        }
        try self.init(job: job, labels: checked)
    }

    /// Creates a group whose labels are only known at run time.
    /// - Parameters:
    ///   - job: the name of the job; not empty.
    ///   - labels: the labels that distinguish this group from others of the job.
    /// - Throws: ``PushError/Code-swift.enum/invalidGroup`` for an empty job or a label `job`.
    public init(job: String, labels: LabelSet) throws(PushError) {
        guard !job.isEmpty else {
            throw PushError(.invalidGroup, "A group without a job cannot be pushed to: give the job a name.")
        }
        guard labels["job"] == nil else {
            throw PushError(.invalidGroup, "The group of the job \(job) also has a label 'job': omit it.")
        }
        self.job = job
        self.labels = labels
        path = labels.reduce("/metrics" + Self.segments("job", job)) { $0 + Self.segments($1.name, $1.value) }
    }

    /// The path of the group, which contains the job and the labels.
    public var description: String { path }

    /// A label as two path segments. Values that a proxy might change, such as a slash, a dot segment or an empty
    /// value, are sent in base64.
    private static func segments(_ name: String, _ value: String) -> String {
        guard !value.isEmpty else { return "/\(name)@base64/=" }
        guard value.utf8.allSatisfy(isUnreserved), value != ".", value != ".." else {
            // The gateway expects the URL-safe alphabet without padding (RFC 4648, section 5).
            let text = Data(value.utf8).base64EncodedString().filter { $0 != "=" }
                .map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            return "/\(name)@base64/\(String(text))"
        }
        return "/\(name)/\(value)"
    }

    /// The characters that need no encoding in any part of a URL (RFC 3986, section 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
