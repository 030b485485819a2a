// SPDX-License-Identifier: MIT

/// Checks the files that settings name.
extension SettingsLoader {
    /// Reads each file whose content a setting uses: first required secrets, then other secrets, then the rest.
    func checkNamedFiles(_ merge: inout SettingsMerge<Settings>) {
        let named = table.all.compactMap { setting -> (setting: Setting<Settings>, path: String, rank: Int)? in
            guard let content = setting.file?.content else { return nil }
            let path = setting.text(merge.settings)
            guard !path.isEmpty else { return nil }
            guard case .secret(let keyPath) = content else { return (setting, path, 2) }
            return (setting, path, table[keyPath].isRequired ? 0 : 1)
        }
        for rank in 0...2 {
            for file in named where file.rank == rank { check(file.setting, file.path, &merge) }
        }
    }

    private func check(_ setting: Setting<Settings>, _ path: String, _ merge: inout SettingsMerge<Settings>) {
        guard let content = setting.file?.content else { return }
        do throws(SettingsFileError) {
            switch content {
            case .secret:
                let file = try files.read(path, limit: SecretFile.sizeLimit)
                _ = try SecretFile.secret(in: file, path)
                guard file.isReadableByAll, merge.origin(of: setting.key) != .credential(path: path) else { return }
                merge.warnings.append(
                    "\(path) holds the secret of \(setting.key) and every account on this machine can read it; "
                        + "run chmod o-r on it"
                )
            case .privateKey:
                guard try files.read(path, limit: Self.namedFileSizeLimit).isReadableByAll else { return }
                merge.warnings.append(
                    "\(path) (\(setting.key)) holds a private key and every account on this machine can read it; "
                        + "run chmod o-r on it"
                )
            case .other:
                _ = try files.read(path, limit: Self.namedFileSizeLimit)
            }
        } catch {
            merge.add(.unreadableFile, key: setting.key, error.description)
        }
    }

    private static var namedFileSizeLimit: Int { 16 << 20 }
}
