import Foundation

/// A delivery to a device, for the timeline.
struct DeliveryTraceEntry: Sendable {
    /// The number of events that the store had by then.
    let position: Int
    let entry: SandboxTimeline.Entry
}
