import Foundation

/// A reader of a device's app receipt that knows whether it has changed since it was read last.
///
/// A receipt that lists the same is neither signed nor returned again.
package struct AppReceiptReader: Sendable {
    private let device: SandboxDevice
    private var known = Known.nothing

    private enum Known {
        case nothing, absent
        case version(ReceiptVersion)
    }

    /// The outcome of a reading, with the ledger's position as of which it is.
    package enum Reading: Sendable {
        case unchanged
        case absent(position: Int)
        case changed(Data, position: Int)
    }

    package init(_ device: SandboxDevice) { self.device = device }

    /// Reads the receipt.
    package mutating func read() -> Reading {
        var version: ReceiptVersion?
        if case .version(let known) = known { version = known }
        let (news, position) = device.core.datedReceipt(on: device.number, unless: version)
        switch news {
        case .unchanged: return .unchanged
        case .none:
            if case .absent = known { return .unchanged }
            known = .absent
            return .absent(position: position)
        case .changed(let image, let version):
            known = .version(version)
            return .changed(image.data, position: position)
        }
    }
}
