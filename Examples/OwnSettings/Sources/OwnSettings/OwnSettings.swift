// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Loads its own settings from shop.yaml, `SHOP_…` variables and flags, and prints the source of each.
@main
struct OwnSettings {
    static func main() throws {
        let command = CommandSpec("serve", summary: "Serve the shop", shared: ShopSettings.table.options)
        do {
            let options = try OptionParser(command).parse(Array(CommandLine.arguments.dropFirst()))
            let loader = SettingsLoader(ShopSettings.table, environment: ProcessInfo.processInfo.environment)
            let loaded = try loader.load(flags: options.settingFlags)
            for warning in loaded.warnings { print("warning: \(warning)") }
            for setting in loaded.effective { print("\(setting.key) = \(setting.value) (\(setting.origin))") }
        } catch {
            print(error)
            exit(64)
        }
    }
}
