// SPDX-License-Identifier: MIT

public import WPLogging

/// The log of a test.
public typealias CapturingLogHandler = MemoryLogHandler
