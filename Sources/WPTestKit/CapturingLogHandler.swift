// SPDX-License-Identifier: MIT

public import WPLogging

/// Captures the log of a test: see `MemoryLogHandler`.
public typealias CapturingLogHandler = MemoryLogHandler
