// SPDX-License-Identifier: MIT

import WPCommandLine
import WPProgram
import WPSettings
import WPYAML

/// Translates node_exporter's `--web.config.file`, which configures the certificate and the users (exporter-toolkit,
/// docs/web-configuration.md), to settings of the agent.
struct WebConfigFile {
    static let flag = "--web.config.file"

    private(set) var settings: [ParsedFlag] = []
    /// Warnings about content that has no effect.
    private(set) var warnings: [String] = []
    private let path: String

    /// Reads a file. Blocks.
    /// - Throws: `OptionFault` that names the file and the fault, without quoting a hash.
    init(_ path: String) throws(OptionFault) {
        self.path = path
        let root: YAMLNode?
        do {
            root = try YAMLReader.parse(SystemSettingsFileReader().read(path, limit: 1 << 20).bytes)
        } catch let error as SettingsFileError {
            throw OptionFault(.invalidValue, "\(Self.flag): \(path): \(error.message)")
        } catch let error as YAMLFault {
            throw OptionFault(.invalidValue, "\(Self.flag): \(path):\(error.position): \(error.message)")
        } catch {
            throw OptionFault(.invalidValue, "\(Self.flag): \(path): \(error)")
        }
        guard let root else { return }
        for entry in try entries(root, "the file") {
            switch entry.key {
            case "tls_server_config": try addTLS(try entries(entry.value, entry.key))
            case "basic_auth_users": try addUsers(try entries(entry.value, entry.key))
            case "http_server_config", "rate_limit": warnings.append("\(path): \(entry.key) has no effect here")
            default: throw fault("\(entry.key) is unknown", entry.keyPosition)
            }
        }
    }

    private mutating func addTLS(_ entries: [YAMLEntry]) throws(OptionFault) {
        var hasAuthority = false
        var policy = ""
        for entry in entries {
            switch entry.key {
            case "cert_file": set("server.tls.cert_file", located(try text(entry)))
            case "key_file": set("server.tls.key_file", located(try text(entry)))
            case "client_ca_file":
                hasAuthority = true
                set("server.tls.client_ca_file", located(try text(entry)))
            case "client_auth_type": policy = try text(entry)
            case "min_version":
                switch try text(entry) {
                case "TLS13": set("server.tls.min_version", "1.3")
                case "TLS12": set("server.tls.min_version", "1.2")
                case "TLS10", "TLS11":
                    warnings.append("\(path): min_version: the agent supports only TLS 1.2 and later")
                default: throw fault("min_version must be TLS12 or TLS13", entry.keyPosition)
                }
            case "client_allowed_sans": set("server.tls.client_names", try names(entry))
            case "cipher_suites", "curve_preferences", "max_version", "prefer_server_cipher_suites":
                warnings.append("\(path): \(entry.key) has no effect here")
            default: throw fault("\(entry.key) is unknown or unsupported", entry.keyPosition)
            }
        }
        switch policy {
        case "", "NoClientCert":
            guard !hasAuthority else { throw fault("client_ca_file needs client_auth_type", nil) }
        case "RequireAndVerifyClientCert", "VerifyClientCertIfGiven":
            guard hasAuthority else { throw fault("client_auth_type needs client_ca_file", nil) }
            set("server.tls.client_auth", policy == "VerifyClientCertIfGiven" ? "optional" : "required")
        default:
            let policies = "RequireAndVerifyClientCert, VerifyClientCertIfGiven or NoClientCert"
            throw fault("client_auth_type must be \(policies)", nil)
        }
    }

    private mutating func addUsers(_ entries: [YAMLEntry]) throws(OptionFault) {
        guard let user = entries.first else { return }
        guard entries.count == 1 else {
            throw fault("the agent supports only one user: name one", entries[1].keyPosition)
        }
        set("server.auth.username", user.key)
        settings.append(
            ParsedFlag(Self.flag, key: "server.auth.password_hash", value: try text(user), isVisible: false)
        )
    }

    private mutating func set(_ key: String, _ value: String) {
        settings.append(ParsedFlag(Self.flag, key: key, value: value))
    }

    /// Resolves a path relative to the file's directory.
    private func located(_ name: String) -> String {
        guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
        return String(path[...slash]) + name
    }

    private func entries(_ node: YAMLNode, _ name: String) throws(OptionFault) -> [YAMLEntry] {
        switch node.content {
        case .mapping(let entries): return entries
        case .scalar(let scalar) where scalar.text.isEmpty || scalar.text == "{}": return []
        default: throw fault("\(name) is not a map", node.position)
        }
    }

    private func text(_ entry: YAMLEntry) throws(OptionFault) -> String {
        guard case .scalar(let scalar) = entry.value.content, !scalar.text.isEmpty else {
            throw fault("\(entry.key) must be a string", entry.keyPosition)
        }
        return scalar.text
    }

    private func names(_ entry: YAMLEntry) throws(OptionFault) -> String {
        guard case .sequence(let nodes) = entry.value.content else {
            throw fault("\(entry.key) must be a list", entry.keyPosition)
        }
        var names: [String] = []
        for node in nodes {
            guard case .scalar(let scalar) = node.content else {
                throw fault("\(entry.key) must be a list of strings", node.position)
            }
            names.append(scalar.text)
        }
        return names.joined(separator: ",")
    }

    private func fault(_ message: String, _ position: YAMLPosition?) -> OptionFault {
        OptionFault(.invalidValue, "\(Self.flag): \(path)\(position.map { ":\($0)" } ?? ""): \(message)")
    }
}
