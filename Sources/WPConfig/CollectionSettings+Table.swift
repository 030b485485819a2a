// SPDX-License-Identifier: MIT

import WPProgram
import WPSettings

/// The settings for collection, energy, storage and metrics.
extension ExporterSettings {
    static let storage = SettingGroup(root: \ExporterSettings.storage).rows

    static let energy: [Setting<ExporterSettings>] =
        [
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
                help:
                    "Maximum time between two power samples over which energy is integrated; at least two collection intervals"
            ),
            Setting(
                "energy.plausibility_margin",
                \.energy.plausibilityMargin,
                .factor(1...1000),
                help: "Multiple of a device's rated VA above which a power sample is rejected as implausible"
            ),
        ] + SettingGroup(root: \ExporterSettings.energy.tariff).rows

    static let scheduler = SettingGroup(root: \ExporterSettings.scheduler).rows

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
