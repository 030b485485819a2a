// SPDX-License-Identifier: MIT

/// The settings of when devices are read, and of what is summed, kept and served.
extension ExporterSettings {
    static let storage: [Setting<ExporterSettings>] = [
        Setting(
            "storage.data_dir",
            \.storage.dataDir,
            .path,
            flag: "--data-dir",
            needsRestart: true,
            help: "Directory of the energy totals; only one exporter at a time can use it"
        ),
        Setting(
            "storage.sync_write",
            \.storage.syncWrite,
            .boolean,
            flag: "--sync-write",
            needsRestart: true,
            help: "Wait for the disk at each save, so that a power failure loses at most one cycle"
        ),
        Setting(
            "storage.file_permissions",
            \.storage.filePermissions,
            .permissions,
            needsRestart: true,
            help: "Permission bits of new files in the data directory"
        ),
    ]

    static let energy: [Setting<ExporterSettings>] = [
        Setting(
            "energy.max_gap",
            \.energy.maxGap,
            .duration(.seconds(1) ... .seconds(86_400)),
            default: { max(.seconds(60), $0.scheduler.collectionInterval * 3) },
            defaultNote: "1m, or 3 × scheduler.collection_interval if that is more",
            rules: [
                .atLeast(
                    2,
                    times: \.scheduler.collectionInterval,
                    why: "otherwise a collection that is a little late is not counted as energy"
                )
            ],
            help: "Maximum time between two power samples that counts as energy; at least two collection intervals"
        ),
        Setting(
            "energy.plausibility_margin",
            \.energy.plausibilityMargin,
            .factor(1...1000),
            help: "Power beyond this multiple of a device's rated VA counts as a gap and not as energy"
        ),
        Setting(
            "energy.tariff",
            \.energy.tariff,
            .factor(0...1_000_000),
            help: "Price of a kilowatt-hour, with which the API shows the cost of energy"
        ),
        Setting(
            "energy.currency",
            \.energy.currency,
            .optional(.currency),
            sample: "EUR",
            help: "Currency of energy.tariff, shown with costs"
        ),
    ]

    static let scheduler: [Setting<ExporterSettings>] = [
        Setting(
            "scheduler.collection_interval",
            \.scheduler.collectionInterval,
            .duration(.seconds(1) ... .seconds(3600)),
            flag: "--interval",
            help: "Time between two collections"
        ),
        Setting(
            "scheduler.graceful_shutdown_timeout",
            \.scheduler.gracefulShutdownTimeout,
            .duration(.zero ... .seconds(300)),
            help: "How long a shutdown waits for open requests"
        ),
    ]

    static let metrics: [Setting<ExporterSettings>] = [
        Setting(
            "metrics.stale_after",
            \.metrics.staleAfter,
            .duration(.seconds(1) ... .seconds(86_400)),
            default: { $0.scheduler.collectionInterval * 3 },
            defaultNote: "3 × scheduler.collection_interval",
            rules: [
                .atLeast(
                    2,
                    times: \.scheduler.collectionInterval,
                    why: "otherwise readings are withheld before the next ones arrive"
                )
            ],
            help: "Age from which readings are no longer served; at least two collection intervals"
        )
    ]
}

extension SettingFormat where Value == String {
    /// A currency's code or sign.
    static var currency: Self {
        let type = CustomSettingType(
            expectation: "a currency such as EUR, of at most 8 characters and without blanks",
            summary: "text of up to 8 characters",
            placeholder: "CURRENCY"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            let isShort = text.unicodeScalars.count <= 8
            let isVisible = text.unicodeScalars.allSatisfy { scalar in
                let category = scalar.properties.generalCategory
                return category != .control && category != .format && !scalar.properties.isWhitespace
            }
            guard isShort, isVisible else { throw SettingMismatch() }
            return text
        } text: {
            $0
        }
    }
}
