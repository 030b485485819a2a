// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPCore
import WPProgram
import WPSettings

/// Secrets in files: systemd credentials, and file permissions.
@Suite struct SecretFilesTests {
    private static let directory = "/run/credentials/winpower-exporter.service"
    private static let withCredentials = ["CREDENTIALS_DIRECTORY": directory]

    private static func readable(_ files: FakeFiles) -> FakeFiles {
        var files = files
        for path in files.files.keys { files.files[path]?.isReadableByAll = true }
        return files
    }

    @Test(arguments: ["winpower.password", "winpower_password"])
    func usesACredentialIfNothingElseIsSet(_ name: String) throws {
        let path = "\(Self.directory)/\(name)"
        let loaded = try Loading.load(
            environment: Self.withCredentials,
            without: ["winpower.password"],
            files: Self.readable(FakeFiles([path: "s3cret\n"]))
        )
        #expect(loaded.settings.winpower.passwordSource == .file(path))
        let effective = loaded.effective.first { $0.key == "winpower.password_file" }
        #expect(effective?.origin == .credential(path: path))
        #expect(effective?.origin.description == "credential \(path)")
        // The directory belongs to the service, so the file's permissions do not matter.
        #expect(loaded.warnings.isEmpty)
    }

    @Test func usesCredentialsOfTheServer() throws {
        let files = FakeFiles([
            "\(Self.directory)/server.auth.password": "one", "\(Self.directory)/server_auth_bearer_token": "two",
        ])
        let loaded = try Loading.load(
            environment: Self.withCredentials.merging(["WINPOWER_EXPORTER_SERVER_AUTH_USERNAME": "x"]) { $1 },
            files: files
        )
        #expect(try loaded.settings.server.auth.passwordSource?.secret(using: files).reveal() == "one")
        #expect(try loaded.settings.server.auth.bearerTokenSource?.secret(using: files).reveal() == "two")
    }

    @Test func prefersExplicitSettings() throws {
        let files = FakeFiles(["\(Self.directory)/winpower.password": "credential", "/secret": "file"])
        let variable = try Loading.load(environment: Self.withCredentials, files: files)
        #expect(variable.settings.winpower.passwordFile == nil)
        #expect(variable.settings.winpower.password?.reveal() == "s3cr3t-default")
        let file = try Loading.load(
            environment: Self.withCredentials.merging(["WINPOWER_EXPORTER_WINPOWER_PASSWORD_FILE": "/secret"]) { $1 },
            without: ["winpower.password"],
            files: files
        )
        #expect(file.settings.winpower.passwordFile == "/secret")
    }

    /// Each setting that names a file accepts a credential of the same name, for services that cannot read the file.
    @Test func usesACredentialForEverySettingThatNamesAFile() throws {
        let keys = [
            "winpower.ca_file", "winpower.password_file", "server.tls.cert_file", "server.tls.key_file",
            "server.tls.client_ca_file", "server.auth.password_hash_file", "server.auth.bearer_token_file",
            "hub.ca_file", "hub.token_file",
        ]
        let files = FakeFiles(Dictionary(keys.map { ("\(Self.directory)/\($0)", "one-line") }) { first, _ in first })
        let loaded = try Loading.load(
            environment: Self.withCredentials.merging(["WINPOWER_EXPORTER_SERVER_AUTH_USERNAME": "x"]) { $1 },
            without: ["winpower.password"],
            files: files
        )
        for key in keys {
            let found = loaded.effective.first { $0.key == key }
            #expect(found?.origin == .credential(path: "\(Self.directory)/\(key)"), "\(key)")
        }
    }

    @Test func overridesThePathOfAFileButNotAFlag() throws {
        let credential = "\(Self.directory)/winpower.password"
        let yaml = "winpower:\n  password_file: /etc/unreadable\n"
        var files = FakeFiles([credential: "s3cret", "/flag": "other"])
        files.failures["/etc/unreadable"] = .failed
        let loaded = try Loading.load(
            yaml: yaml,
            environment: Self.withCredentials,
            without: ["winpower.password"],
            files: files
        )
        #expect(loaded.settings.winpower.passwordSource == .file(credential))
        let flag = try Loading.load(
            yaml: yaml,
            environment: Self.withCredentials.merging(["WINPOWER_EXPORTER_WINPOWER_PASSWORD_FILE": "/flag"]) { $1 },
            without: ["winpower.password"],
            files: files
        )
        #expect(flag.settings.winpower.passwordFile == "/flag")
    }

    @Test func reportsASecretWithoutCredentialAsMissing() {
        let faults = Loading.faults(environment: Self.withCredentials, without: ["winpower.password"])
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("winpower.password: it is required") == true)
    }

    @Test func rejectsAnUnreadableCredential() {
        var files = FakeFiles()
        let path = "\(Self.directory)/winpower.password"
        files.failures[path] = .failed
        let faults = Loading.faults(environment: Self.withCredentials, without: ["winpower.password"], files: files)
        #expect(faults == ["credential \(path): winpower.password_file: cannot use \(path): made to fail"])
    }

    @Test func warnsAboutAWorldReadableSecretFile() throws {
        let loaded = try Loading.load(
            environment: ["WINPOWER_EXPORTER_WINPOWER_PASSWORD_FILE": "/secret"],
            without: ["winpower.password"],
            files: Self.readable(FakeFiles(["/secret": "x"]))
        )
        #expect(
            loaded.warnings == [
                "/secret holds the secret of winpower.password_file and every account on this machine can read it; "
                    + "run chmod o-r on it"
            ]
        )
    }

    /// A warning concerns a file that contains a secret, not one whose secret comes from a variable.
    @Test(
        arguments: [
            ("winpower:\n  password: hunter2\n", true), ("winpower:\n  password: ${PASSWORD}\n", false),
            ("winpower:\n  password: ${PASSWORD}suffix\n", true), ("winpower:\n  password: ${NONE:-hunter2}\n", true),
            ("winpower:\n  proxy: http://u:hunter2@proxy:3128\n", true),
            ("winpower:\n  proxy: http://proxy:3128\n", false), ("winpower:\n  username: a@b\n", false),
            ("server:\n  port: 9100\n", false),
        ]
    )
    func warnsAboutASecretInTheFile(_ yaml: String, _ isWarned: Bool) throws {
        let loaded = try SettingsLoader(
            ExporterSettings.table,
            environment: Loading.required.merging(["PASSWORD": "p"]) { $1 },
            files: Self.readable(FakeFiles(["c.yaml": yaml]))
        ).load(configPath: "c.yaml")
        #expect(loaded.warnings.contains { $0.contains("every account on this machine can read it") } == isWarned)
    }
}
