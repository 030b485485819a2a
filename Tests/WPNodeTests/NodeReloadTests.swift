// SPDX-License-Identifier: MIT

import Fixtures
import Synchronization
import Testing
import WPConfig
import WPExporter
import WPHTTP
import WPHost
import WPLogging
@testable import WPNode
import WPProgram
import WPServer
import WPSettings
import WPTestKit

/// Access control and reloads of the agent.
struct NodeReloadTests {
    /// An agent whose settings are environment variables changed by tests.
    private final class Host: Sendable {
        let variables: Mutex<[String: String]>
        let directory: TemporaryDirectory
        let tree: HostTree

        init(_ variables: [String: String]) throws {
            directory = try TemporaryDirectory()
            tree = try HostFixture.old.write(to: directory.path)
            self.variables = Mutex(
                variables.merging([
                    "WPNODE_PATH_PROCFS": tree.proc, "WPNODE_PATH_SYSFS": tree.sys, "WPNODE_PATH_ROOTFS": tree.root,
                ]) { $1 }
            )
        }

        func load() throws -> LoadedSettings<NodeSettings> {
            try SettingsLoader(NodeSettings.table, environment: variables.withLock { $0 }).load(checksFiles: false)
        }

        func agent() async throws -> NodeAgent {
            let loaded = try load()
            let agent = try await NodeAgent(
                loaded: loaded,
                listening: nil,
                reloading: Reloading { [self] in try load() }
            )
            await agent.sampler.sample()
            return agent
        }
    }

    private func status(_ agent: NodeAgent, _ path: String = "/metrics", bearer: String? = nil) async throws -> Int {
        var request = HTTPRequest(target: path)
        if let bearer { request.headers.append(name: "Authorization", value: "Bearer \(bearer)") }
        return try await agent.handler.respond(to: request).status.code
    }

    @Test func requiresATokenExceptForHealth() async throws {
        let agent = try await Host(["WPNODE_SERVER_AUTH_BEARER_TOKEN": "one"]).agent()
        #expect(try await status(agent) == 401)
        #expect(try await status(agent, "/") == 401)
        #expect(try await status(agent, bearer: "two") == 401)
        #expect(try await status(agent, bearer: "one") == 200)
        #expect(try await status(agent, "/health") == 200)
    }

    @Test func appliesSettingsOrReportsThatTheyNeedARestart() async throws {
        let host = try Host(["WPNODE_SERVER_AUTH_BEARER_TOKEN": "one"])
        let agent = try await host.agent()
        host.variables.withLock { variables in
            variables["WPNODE_SERVER_AUTH_BEARER_TOKEN"] = "two"
            variables["WPNODE_LOGGING_LEVEL"] = "debug"
            variables["WPNODE_COLLECT_INTERVAL"] = "7s"
        }
        #expect(
            await agent.reloader.reload(.signal)
                == .applied(
                    changed: ["server.auth.bearer_token", "logging.level"],
                    waiting: ["node.push_interval", "collect.interval"],
                    warnings: try host.load().warnings
                )
        )
        #expect(try await status(agent, bearer: "one") == 401)
        #expect(try await status(agent, bearer: "two") == 200)
        let text = try await agent.handler.respond(
            to: {
                var request = HTTPRequest(target: "/metrics")
                request.headers.append(name: "Authorization", value: "Bearer two")
                return request
            }()
        )
        #expect(
            String(decoding: text.bytes, as: UTF8.self).contains("\nwinpower_node_config_last_reload_successful 1\n")
        )
    }

    @Test func ignoresInvalidSettings() async throws {
        let host = try Host(["WPNODE_SERVER_AUTH_BEARER_TOKEN": "one"])
        let agent = try await host.agent()
        host.variables.withLock { variables in
            variables["WPNODE_SERVER_AUTH_BEARER_TOKEN"] = "two"
            variables["WPNODE_LOGGING_LEVEL"] = "loud"
        }
        let outcome = await agent.reloader.reload(.signal)
        guard case .rejected(let faults) = outcome else {
            Issue.record("invalid settings were accepted")
            return
        }
        #expect(faults.count == 1)
        #expect(try await status(agent, bearer: "one") == 200)
    }

    @Test func warnsAboutUnencryptedCredentials() throws {
        let variables = ["WPNODE_SERVER_AUTH_USERNAME": "a", "WPNODE_SERVER_AUTH_PASSWORD": "b"]
        #expect(try Host(variables).load().warnings.contains { $0.contains("unencrypted to 0.0.0.0") })
        let loopback = variables.merging(["WPNODE_SERVER_HOST": "127.0.0.1"]) { $1 }
        #expect(try Host(loopback).load().warnings.isEmpty)
        #expect(throws: SettingsFaults.self) { try Host(["WPNODE_SERVER_AUTH_USERNAME": "a"]).load() }
        #expect(throws: SettingsFaults.self) { try Host(["WPNODE_SERVER_TLS_CERT_FILE": "/a.pem"]).load() }
    }
}
