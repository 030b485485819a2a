// SPDX-License-Identifier: MIT

public import WPHTTP

/// The suite's own HTTP client carries the exchanges of a ``WinPowerClient``.
extension HTTPClient: WinPowerTransport {}
