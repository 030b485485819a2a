# SPDX-License-Identifier: MIT
"""Programs for the integration tests. Independent of pytest, because Benchmarks/ imports it as well."""
