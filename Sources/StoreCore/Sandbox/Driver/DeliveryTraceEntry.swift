import Foundation

/// Something sent to a device, for the timeline.
struct DeliveryTraceEntry: Sendable {
    /// How many events the store had by then.
    let position: Int
    let entry: SandboxTimeline.Entry
}
