// SPDX-License-Identifier: MIT

import WPMetrics
import WPPushgateway

/// Pushes to a real gateway, driven by a script: `wp-push-probe URL push|add|delete JOB [--gzip] [--basic
/// USER:PASSWORD] [@LABEL=VALUE …] [GAUGE=NUMBER …]`.
@main
enum PushProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { throw UsageError() }
        let registry = Registry()
        var credentials: PushCredentials?
        var compresses = false
        var labels: [Label] = []
        var rest = arguments.dropFirst(4)
        while let argument = rest.popFirst() {
            switch argument {
            case "--gzip": compresses = true
            case "--basic":
                let pair = (rest.popFirst() ?? "").split(separator: ":", maxSplits: 1).map(String.init)
                guard pair.count == 2 else { throw UsageError() }
                credentials = .basic(username: pair[0], password: pair[1])
            default:
                guard let equals = argument.firstIndex(of: "=") else { throw UsageError() }
                let (name, value) = (argument[..<equals], argument[argument.index(after: equals)...])
                if name.hasPrefix("@") {
                    labels.append(Label(String(name.dropFirst()), String(value)))
                } else {
                    guard let number = Double(value) else { throw UsageError() }
                    try registry.gauge(name: String(name), help: "Pushed by a test.").set(number)
                }
            }
        }
        let pushgateway = try Pushgateway(
            url: arguments[1],
            group: try PushGroup(job: arguments[3], labels: LabelSet(labels)),
            credentials: credentials,
            retry: .never,
            compresses: compresses
        )
        switch arguments[2] {
        case "push": try await pushgateway.push(registry)
        case "add": try await pushgateway.add(registry)
        case "delete": try await pushgateway.delete()
        default: throw UsageError()
        }
    }

    private struct UsageError: Error, CustomStringConvertible {
        let description = """
            usage: wp-push-probe URL push|add|delete JOB [--gzip] [--basic USER:PASSWORD] [@LABEL=VALUE ...] \
            [GAUGE=NUMBER ...]
            """
    }
}
