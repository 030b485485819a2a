// SPDX-License-Identifier: MIT

/// A choice of a program's routes to mount on the router of another program. It does not enable routes that the
/// settings disable.
public struct ProgramRoutes: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Creates a choice from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `/metrics`
    public static let metrics = ProgramRoutes(rawValue: 1)
    /// `/health`
    public static let health = ProgramRoutes(rawValue: 2)
    /// `/`, which is mounted only under a prefix.
    public static let landing = ProgramRoutes(rawValue: 4)
    /// `/debug/` and the paths below.
    public static let debug = ProgramRoutes(rawValue: 8)
    /// `/-/reload`
    public static let reload = ProgramRoutes(rawValue: 16)
    /// The routes that the program adds to those of the framework, such as an API.
    public static let own = ProgramRoutes(rawValue: 32)
    /// All routes.
    public static let all: ProgramRoutes = [.metrics, .health, .landing, .debug, .reload, .own]

    /// The route of a path.
    init(of path: String) {
        switch path {
        case "/metrics": self = .metrics
        case "/health": self = .health
        case "/": self = .landing
        case "/-/reload": self = .reload
        case "/debug": self = .debug
        default: self = path.hasPrefix("/debug/") ? .debug : .own
        }
    }
}
