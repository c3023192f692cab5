import Foundation
import StoreCore

/// A line of the stream of updates, as JSON; one without content is a sign of life.
///
/// What a line says of the status and of receipts holds before its batch is handed on.
package struct UpdateLine: Hashable, Codable, Sendable {
    /// The status, where it has changed; always in the first line.
    package var status: DeviceStatus?
    /// The app receipt, where it has changed.
    package var receipt: ReceiptUpdate?
    /// The receipts of the batch's purchased and restored transactions, by identifier.
    package var receipts: [String: Data]?
    package var batch: UpdateBatch?
    /// Whether answers about the history, and of look-ups of products, may have changed; always in the first line.
    package var hasChanged: Bool?
    /// The reason why the store ends the stream.
    package var failure: StoreFailure?

    package init() {}

    package var isEmpty: Bool { self == UpdateLine() }
}
