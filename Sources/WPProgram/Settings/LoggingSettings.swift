// SPDX-License-Identifier: MIT

public import WPLogging

/// Logging: `logging.*`.
public typealias LoggingSettings = LoggingConfiguration
