// SPDX-License-Identifier: MIT

package import WPProgram
package import WPSettings

/// The settings of the server for Network UPS Tools.
extension ExporterSettings {
    /// The certificate for STARTTLS.
    package static let nutTLS = SettingGroup<ExporterSettings, ServerTLSSettings>(root: \.nut.tls)

    static let nut: [Setting<ExporterSettings>] = [
        Setting(
            "nut.enabled",
            \.nut.enabled,
            .boolean,
            help: "Serve the UPSes to upsmon and other clients of Network UPS Tools"
        ),
        Setting(
            "nut.listen",
            \.nut.listen,
            .nutAddresses,
            needsRestart: true,
            help: "Addresses to listen on, separated by commas; [::]:3493 is all interfaces"
        ),
        Setting(
            "nut.users_file",
            \.nut.usersFile,
            .optional(.path),
            sample: "/etc/nut/upsd.users",
            file: .readable,
            rejectsEmpty: true,
            help: "File of the NUT users, in the format of upsd.users; reloaded when it changes"
        ),
        Setting(
            "nut.allow",
            \.nut.allow,
            .optional(.networks),
            sample: "10.0.0.0/8,fd00::/8",
            rejectsEmpty: true,
            help: "Networks from which connections are accepted, separated by commas; all if it is not set"
        ).weakened { old, new in
            guard let before = old.nut.allow else { return false }
            guard let after = new.nut.allow else { return true }
            let known = before.split(separator: ",")
            return after.split(separator: ",").contains { !known.contains($0) }
        },
        Setting(
            "nut.require_tls_for_login",
            \.nut.requireTLSForLogin,
            .boolean,
            help: "Reject logins without TLS from other machines, so that no password crosses the network unencrypted"
        ).weakened { old, new in old.nut.requireTLSForLogin && !new.nut.requireTLSForLogin },
        Setting(
            "nut.low_battery_percent",
            \.nut.lowBatteryPercent,
            .integer(0...100),
            help: "Charge at which the battery counts as low, so that machines on battery shut down"
        ),
        Setting(
            "nut.low_battery_runtime",
            \.nut.lowBatteryRuntime,
            .duration(.zero ... .seconds(86_400)),
            help: "Runtime at which the battery counts as low, so that machines on battery shut down"
        ),
        Setting(
            "nut.names",
            \.nut.names,
            .nutNames,
            sample: "4b0f0c3e-9d0a-4a4e-8f47-0e7e0b1f2a3c=office",
            help:
                "NUT names of UPSes: pairs of device id and name, separated by commas; other UPSes are named after their id"
        ),
        Setting(
            "nut.stale_after",
            \.nut.staleAfter,
            .duration(.seconds(1) ... .seconds(3600)),
            default: { $0.scheduler.collectionInterval * 3 },
            defaultNote: "3 × scheduler.collection_interval",
            rules: [
                .atLeast(
                    2,
                    times: \.scheduler.collectionInterval,
                    why: "otherwise clients lose the UPS before the next readings arrive"
                )
            ],
            help: "Age at which a UPS's data is reported as stale; at least two collection intervals"
        ),
        Setting(
            "nut.fsd_hold",
            \.nut.forcedShutdownHold,
            .duration(.zero ... .seconds(86_400)),
            help: "Time on mains power after which a forced shutdown that a primary started ends"
        ),
        Setting(
            "nut.tls.cert_file",
            \.nut.tls.certFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/tls.crt",
            file: .readable,
            rules: [.needs(\.nut.tls.keyFile, why: "a certificate needs its key")],
            help: "PEM file of the certificate for STARTTLS and its intermediate certificates; reloaded when it changes"
        ).weakened { old, new in old.nut.tls.certFile != nil && new.nut.tls.certFile == nil },
        Setting(
            "nut.tls.key_file",
            \.nut.tls.keyFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/tls.key",
            file: .privateKey,
            rules: [.needs(\.nut.tls.certFile, why: "a key needs its certificate")],
            help: "PEM file of the certificate's private key, without a passphrase"
        ),
    ]
}

extension SettingFormat where Value == NUTAddresses {
    /// Addresses with ports.
    package static var nutAddresses: Self {
        let type = CustomSettingType(
            expectation: "addresses such as 127.0.0.1:3493 or [::1]:3493, separated by commas",
            summary: "addresses separated by commas",
            placeholder: "ADDRESSES"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> NUTAddresses in
            guard let value = NUTAddresses(text) else { throw SettingMismatch() }
            return value
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == NUTNames {
    /// Names of UPSes.
    package static var nutNames: Self {
        let type = CustomSettingType(
            expectation: "pairs such as DEVICE=NAME, separated by commas",
            summary: "device=name, separated by commas",
            placeholder: "DEVICE=NAME,..."
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> NUTNames in
            guard let value = NUTNames(text) else { throw SettingMismatch() }
            return value
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == String {
    /// Networks separated by commas; their consumers validate the digits.
    static var networks: Self {
        let type = CustomSettingType(
            expectation: "networks such as 10.0.0.0/8 or fd00::/8, separated by commas",
            summary: "networks separated by commas",
            placeholder: "NETWORKS"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            let isPlain = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                case UInt8(ascii: "A")...UInt8(ascii: "F"): true
                default: [0x20, 0x2C, 0x2E, 0x2F, 0x3A].contains(byte)
                }
            }
            guard isPlain, text.utf8.contains(where: { $0 != 0x20 && $0 != 0x2C }) else { throw SettingMismatch() }
            return text
        } text: {
            $0
        }
    }
}
