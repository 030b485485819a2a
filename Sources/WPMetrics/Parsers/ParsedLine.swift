// SPDX-License-Identifier: MIT

/// The content of a line.
enum ParsedLine {
    enum Metadata {
        case type(MetricType)
        case help(String)
        case unit(String)
    }

    case metadata(Metadata, name: String)
    case sample(ParsedSample)
}
