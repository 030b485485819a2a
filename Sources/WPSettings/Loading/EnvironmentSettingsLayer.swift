// SPDX-License-Identifier: MIT

import WPCommandLine

/// Reads settings from environment variables.
struct EnvironmentSettingsLayer<Settings: Sendable> {
    let table: SettingTable<Settings>
    let environment: [String: String]

    func read(into merge: inout SettingsMerge<Settings>) {
        var links: [String] = []
        for setting in table.all { read(setting, into: &merge, links: &links) }
        if !links.isEmpty {
            let one = links.count == 1
            merge.warnings.append(
                "\(links.joined(separator: " and ")) \(one ? "holds" : "hold") the address of a Kubernetes service and "
                    + "\(one ? "is" : "are") ignored; enableServiceLinks: false in the pod's specification keeps such "
                    + "variables away"
            )
        }
        warnAboutUnknownVariables(&merge)
    }

    private func read(
        _ setting: Setting<Settings>,
        into merge: inout SettingsMerge<Settings>,
        links: inout [String]
    ) {
        var winner: (name: String, value: String)?
        for name in setting.environment {
            // lint: most variables are not set
            guard let value = environment[name] else { continue }
            guard !value.isEmpty else {
                readEmpty(setting, name, into: &merge)
                continue
            }
            if case .integer = setting.type, ServiceLink.isAddress(name, value) {
                links.append(name)
                continue
            }
            if let winner, winner.value != value {
                merge.add(.conflict, .environment(name), setting, "\(winner.name) is set too, to another value")
            }
            winner = winner ?? (name, value)
        }
        if let winner { merge.set(setting, to: winner.value, from: .environment(winner.name)) }
    }

    private func readEmpty(_ setting: Setting<Settings>, _ name: String, into merge: inout SettingsMerge<Settings>) {
        guard !setting.rejectsEmpty else {
            merge.addEmpty(.environment(name), setting, remove: "the variable")
            return
        }
        merge.emptyVariables[setting.key] = name
        merge.warnings.append("\(name) is set but empty; it is ignored")
    }

    private func warnAboutUnknownVariables(_ merge: inout SettingsMerge<Settings>) {
        let ignored = Set(
            table.ignored.map { table.prefix + $0.uppercased().split(separator: ".").joined(separator: "_") }
        )
        for name in environment.keys.sorted()
        where name.hasPrefix(table.prefix) && table.byVariable[name] == nil && !ignored.contains(name)
            && !ServiceLink.isNamed(name, environment[name] ?? "")
        {
            let nearest = NearestName.find(
                String(name.dropFirst(table.prefix.count)),
                in: table.byVariable.keys.map { String($0.dropFirst(table.prefix.count)) }
            )
            let question = nearest.map { "; did you mean \(table.prefix)\($0)?" } ?? ""
            merge.warnings.append("no setting reads the environment variable \(name)\(question)")
        }
    }
}

/// The variables that Kubernetes sets in each pod for each service of the namespace. Those of a service named like the
/// exporter look like settings: `WINPOWER_EXPORTER_PORT=tcp://10.0.0.1:9090`.
enum ServiceLink {
    /// Whether a variable contains a service address instead of a port.
    static func isAddress(_ name: String, _ value: String) -> Bool {
        name.hasSuffix("_PORT") && value.contains("://")
    }

    /// Whether the name matches a Kubernetes service variable: `…_SERVICE_HOST`, `…_SERVICE_PORT`,
    /// `…_SERVICE_PORT_NAME`, `…_PORT`, `…_PORT_9090_TCP`, or the last with `_PROTO`, `_PORT` or `_ADDR`.
    static func isNamed(_ name: String, _ value: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") {
            return true
        }
        if isAddress(name, value) { return true }
        var words = name.split(separator: "_")[...]
        if let last = words.last, ["PROTO", "PORT", "ADDR"].contains(last) { words = words.dropLast() }
        guard let scheme = words.popLast(), let port = words.popLast(), words.last == "PORT" else { return false }
        return ["TCP", "UDP", "SCTP"].contains(scheme) && Int(port) != nil
    }
}
