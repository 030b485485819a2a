// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCommandLine
import WPConfig
import WPCore
import WPLogging
import WPProgram
import WPSettings

/// The configurations that the product's documents have always shown must load unchanged.
@Suite struct PromisedExamplesTests {
    private static let full = """
        # config.yaml
        server:
          port: 9090
          host: "0.0.0.0"
          read_timeout: 30s
          write_timeout: 30s
          enable_pprof: false

        winpower:
          base_url: "https://winpower.example.com"
          username: "admin"
          password: "secret"
          timeout: 30s
          api_timeout: 10s
          skip_ssl_verify: false
          refresh_threshold: 5m

        storage:
          data_dir: "./data"
          file_permissions: 0644

        scheduler:
          collection_interval: 5s
          graceful_shutdown_timeout: 5s

        logging:
          level: "info"
          format: "json"
          output: "stdout"
          max_size: 100
          max_age: 7
          max_backups: 3
          compress: true
          enable_caller: false
          enable_stacktrace: false
        """

    private static let basic = """
        server:
          port: 9090
          host: "0.0.0.0"

        winpower:
          base_url: "https://your-winpower-server.com"
          username: "admin"
          password: "your-password"
          timeout: 30s
          skip_ssl_verify: false

        storage:
          data_dir: "./data"
          sync_write: true

        scheduler:
          collection_interval: 5s

        logging:
          level: "info"
          format: "json"
          output: "stdout"
        """

    @Test func loadsTheFullExample() throws {
        let files = FakeFiles(["./config.yaml": Self.full])
        let loaded = try SettingsLoader(ExporterSettings.table, environment: [:], files: files).load()
        #expect(loaded.configFile == "./config.yaml")
        #expect(loaded.warnings == [])
        #expect(loaded.settings.winpower.target?.baseURL.description == "https://winpower.example.com")
        #expect(loaded.settings.winpower.password?.reveal() == "secret")
        #expect(loaded.settings.storage.filePermissions == 0o644)
        var expected = ExporterSettings()
        expected.winpower.baseURL = try WinPowerURL("https://winpower.example.com")
        expected.winpower.username = "admin"
        expected.winpower.password = loaded.settings.winpower.password
        #expect(loaded.settings == expected)
    }

    @Test func loadsTheBasicExample() throws {
        let files = FakeFiles(["config.yaml": Self.basic])
        let loaded = try SettingsLoader(ExporterSettings.table, environment: [:], files: files).load(
            configPath: "config.yaml"
        )
        #expect(loaded.settings.winpower.target?.baseURL.host == "your-winpower-server.com")
        #expect(loaded.warnings == [])
    }

    @Test func loadsTheContainersEnvironment() throws {
        let loaded = try SettingsLoader(
            ExporterSettings.table,
            environment: [
                "PATH": "/bin",
                "WINPOWER_EXPORTER_WINPOWER_BASE_URL": "https://winpower.example.com",
                "WINPOWER_EXPORTER_WINPOWER_USERNAME": "admin",
                "WINPOWER_EXPORTER_WINPOWER_PASSWORD": "secret",
                "WINPOWER_EXPORTER_LOGGING_LEVEL": "info",
                "WINPOWER_EXPORTER_LOGGING_FORMAT": "json",
            ],
            files: FakeFiles()
        ).load()
        #expect(loaded.configFile == nil)
        #expect(loaded.warnings == [])
        #expect(loaded.settings.winpower.target?.username == "admin")
    }

    @Test func loadsTheFlagsOfTheTables() throws {
        let arguments = [
            "--winpower.url", "https://winpower.example.com", "--winpower.username", "admin", "--winpower.password",
            "secret",
            "--port", "9091", "--log-level", "debug", "--skip-ssl-verify", "--data-dir", "/data", "--sync-write",
        ]
        let parser = OptionParser(CommandSpec("server", summary: "Serve", shared: ExporterSettings.table.options))
        let settings = try SettingsLoader(ExporterSettings.table, environment: [:], files: FakeFiles())
            .load(flags: parser.parse(arguments).settingFlags).settings
        #expect(settings.server.port == 9091)
        #expect(settings.logging.level == .debug)
        #expect(settings.winpower.skipSSLVerify)
        #expect(settings.storage.dataDir == "/data" && settings.storage.syncWrite)
    }
}
