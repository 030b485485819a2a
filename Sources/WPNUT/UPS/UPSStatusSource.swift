// SPDX-License-Identifier: MIT

public import WPModel

/// Where a NUT server learns of UPSes.
///
/// Implement it to serve readings of your own. The server reads ``observations()`` for as long as it runs. Between two
/// observations it judges by itself whether the last one is still to be trusted, so a source that has nothing new, or lost its
/// connection, sends nothing.
public protocol UPSStatusSource: Sendable {
    /// The observations, each as soon as it is there, beginning with the latest if there is one. Called once per run of a
    /// server; the stream ends when the server does.
    func observations() -> AsyncStream<UPSObservation>
}

/// What was read of all UPSes at one moment.
public struct UPSObservation: Sendable, Hashable {
    /// A reading per device. All of the fleet: a device that is missing counts as not connected from now on. nil when nothing
    /// was read yet, which is how a source makes devices known before the first reading.
    public var readings: [DeviceReading]?
    /// Devices that are known to exist although there is no reading of them, such as those of an earlier run. Their names
    /// answer `DRIVER-NOT-CONNECTED`.
    public var known: [Device]

    /// Creates an observation.
    public init(readings: [DeviceReading]?, known: [Device] = []) {
        self.readings = readings
        self.known = known
    }
}
