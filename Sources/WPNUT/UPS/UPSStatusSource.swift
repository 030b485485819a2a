// SPDX-License-Identifier: MIT

public import WPModel

/// A source of UPS observations for a NUT server.
///
/// Implement it to serve your own readings. The server reads ``observations()`` while it runs, and decides whether the
/// last observation is still current: a source without new data, or without a connection, sends nothing.
public protocol UPSStatusSource: Sendable {
    /// The observations as they are made, starting with the latest if there is one. Called once per run of a server;
    /// the stream ends with the server.
    func observations() -> AsyncStream<UPSObservation>
}

/// The readings of all UPSes at one moment.
public struct UPSObservation: Sendable, Hashable {
    /// One reading per device of the whole fleet: a missing device is treated as not connected. nil before the first
    /// reading, to announce the known devices.
    public var readings: [DeviceReading]?
    /// Devices that are known without a reading, such as those of an earlier run. Queries for them return
    /// `DRIVER-NOT-CONNECTED`.
    public var known: [Device]

    /// Creates an observation.
    public init(readings: [DeviceReading]?, known: [Device] = []) {
        self.readings = readings
        self.known = known
    }
}
