// SPDX-License-Identifier: MIT

public import WPLogging

/// Captures log records in tests: see `MemoryLogHandler`.
public typealias CapturingLogHandler = MemoryLogHandler
