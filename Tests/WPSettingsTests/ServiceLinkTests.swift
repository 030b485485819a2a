// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPProgram
import WPSettings

/// The variables that Kubernetes sets in each pod for a service named like the exporter.
@Suite struct ServiceLinkTests {
    private static let links = [
        "WINPOWER_EXPORTER_SERVICE_HOST": "10.0.0.1",
        "WINPOWER_EXPORTER_SERVICE_PORT": "9090",
        "WINPOWER_EXPORTER_SERVICE_PORT_METRICS": "9090",
        "WINPOWER_EXPORTER_PORT": "tcp://10.0.0.1:9090",
        "WINPOWER_EXPORTER_PORT_9090_TCP": "tcp://10.0.0.1:9090",
        "WINPOWER_EXPORTER_PORT_9090_TCP_PROTO": "tcp",
        "WINPOWER_EXPORTER_PORT_9090_TCP_PORT": "9090",
        "WINPOWER_EXPORTER_PORT_9090_TCP_ADDR": "10.0.0.1",
        "WINPOWER_EXPORTER_SERVER_SERVICE_HOST": "10.0.0.2",
        "WINPOWER_EXPORTER_SERVER_PORT": "tcp://10.0.0.2:80",
        "WINPOWER_EXPORTER_OTHER_PORT": "tcp://10.0.0.3:80",
        "WINPOWER_EXPORTER_OTHER_PORT_53_UDP_ADDR": "10.0.0.3",
        "WINPOWER_EXPORTER_OTHER_PORT_132_SCTP": "sctp://10.0.0.3:132",
    ]

    @Test func ignoresServiceLinksWithOneWarning() throws {
        let loaded = try Loading.load(environment: Self.links)
        #expect(loaded.settings.server == ExporterSettings().server)
        #expect(
            loaded.warnings == [
                "WINPOWER_EXPORTER_SERVER_PORT and WINPOWER_EXPORTER_PORT hold the address of a Kubernetes service and "
                    + "are ignored; enableServiceLinks: false in the pod's specification keeps such variables away"
            ]
        )
        let one = try Loading.load(environment: ["WINPOWER_EXPORTER_PORT": "tcp://10.0.0.1:9090"]).warnings
        #expect(one.count == 1)
        #expect(
            one.first?.hasPrefix("WINPOWER_EXPORTER_PORT holds the address of a Kubernetes service and is ignored")
                == true
        )
    }

    @Test func keepsAnExplicitPort() throws {
        let loaded = try Loading.load(environment: [
            "WINPOWER_EXPORTER_PORT": "tcp://10.0.0.1:9090", "WINPOWER_EXPORTER_SERVER_PORT": "9191",
        ])
        #expect(loaded.settings.server.port == 9191)
        let file = try Loading.load(yaml: "server: {port: 9292}", environment: Self.links)
        #expect(file.settings.server.port == 9292)
    }

    @Test func ignoresOnlyAddresses() {
        #expect(Loading.faults(environment: ["WINPOWER_EXPORTER_PORT": "tcp:10"]).count == 1)
        // Not the name of a service link.
        #expect(Loading.faults(environment: ["WINPOWER_EXPORTER_WINPOWER_PAGE_SIZE": "tcp://10.0.0.1:9090"]).count == 1)
    }

    @Test(arguments: [
        "SERVICE_HOSTS", "PORT_TCP", "PORT_9090_HTTP", "PORT_X_TCP", "9090_TCP_ADDR", "OTHER_PORT", "TCP_ADDR", "ADDR",
        "PORT_9090_TCP_NAME",
    ])
    func reportsOtherUnknownVariables(_ name: String) throws {
        let name = "WINPOWER_EXPORTER_\(name)"
        let warnings = try Loading.load(environment: [name: "1"]).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("no setting reads the environment variable \(name)"))
    }
}
