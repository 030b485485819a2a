// SPDX-License-Identifier: MIT

/// The `status` of `/health` and of its members.
public enum HealthStatus: String, Codable, Sendable {
    /// The component works.
    case ok
    /// The program serves, but a dependency fails; a restart would not help.
    case degraded
}

/// The state of one component of a program, a member of `/health`.
public struct HealthPart: Sendable {
    /// Whether the component works.
    public var status: HealthStatus
    /// The reason as one word, for machines; nil if it works.
    public var reason: String?
    /// A short summary for display, such as `3 devices`, which `healthcheck` prints; nil for none.
    public var summary: String?
    /// Additional members, from a value that is encoded as an object; nil for none.
    public var details: (any Encodable & Sendable)?

    /// Creates a state.
    public init(
        _ status: HealthStatus,
        reason: String? = nil,
        summary: String? = nil,
        details: (any Encodable & Sendable)? = nil
    ) {
        (self.status, self.reason, self.summary, self.details) = (status, reason, summary, details)
    }

    /// The component works.
    public static let ok = HealthPart(.ok)

    /// The component works.
    public static func ok(_ details: any Encodable & Sendable, summary: String? = nil) -> HealthPart {
        HealthPart(.ok, summary: summary, details: details)
    }

    /// The component does not work, for a reason of one word.
    public static func degraded(_ reason: String, _ details: (any Encodable & Sendable)? = nil) -> HealthPart {
        HealthPart(.degraded, reason: reason, details: details)
    }
}

extension HealthPart: Encodable {
    private enum Keys: String, CodingKey {
        case status, reason
    }

    /// Encodes the members of ``details``, and `status` and `reason`.
    public func encode(to encoder: any Encoder) throws {
        try details?.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(status, forKey: .status)
        try container.encode(reason, forKey: .reason)
    }
}
