import StoreContract
import StoreCore

extension Fault {
    static let ofNotices: [Fault] = [
        // Tells of revocations and promoted purchases in snapshots only.
        .batches("KeepsNoticesToItself", .noticesTold) {
            [$0.isSnapshot ? $0 : $0.replacing($0.updates.filter { !$0.isNotice })]
        },
        // Tells a revocation once, to whoever is there.
        .batches("ForgetsRevocations", .noticesShown) {
            [$0.isSnapshot ? $0.replacing($0.updates.filter { !$0.isRevocation }) : $0]
        },
        // Tells a promoted purchase once, to whoever is there.
        .batches("ForgetsPromotedPurchases", .noticesShown) {
            [$0.isSnapshot ? $0.replacing($0.updates.filter { !$0.isPromotion }) : $0]
        },
        Fault(AcknowledgesEverything.self, .noticesShown),
        Fault(ForgetsNoticesWhenReopened.self, .noticesShown),
        Fault(IgnoresAcknowledgements.self, .noticesEnd),
        // Moves without a word.
        .batches("KeepsTheStorefrontToItself", .storefrontTold) {
            [$0.replacing($0.updates.filter { if case .storefront = $0 { false } else { true } })]
        },
        Fault(StaysInItsStorefront.self, .storefrontTold),
    ]
}

extension StoreUpdate {
    fileprivate var isRevocation: Bool { if case .revoked = self { true } else { false } }
    fileprivate var isPromotion: Bool { if case .promoted = self { true } else { false } }
    fileprivate var isNotice: Bool { isRevocation || isPromotion }
}

/// Keeps in memory what has to be told.
private final class ForgetsNoticesWhenReopened: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.isSnapshot && isReopened ? batch.replacing(batch.updates.filter { !$0.isNotice }) : batch]
    }
}

/// Takes any acknowledgement for one of everything.
private final class AcknowledgesEverything: SpoiltStore, @unchecked Sendable {
    override func acknowledge(through cursor: UpdateCursor) { super.acknowledge(through: UpdateCursor(position: .max)) }
}

/// Tells again and again.
private final class IgnoresAcknowledgements: SpoiltStore, @unchecked Sendable {
    override func acknowledge(through cursor: UpdateCursor) {}
}

/// Says that it moves, and stays.
private final class StaysInItsStorefront: SpoiltStore, @unchecked Sendable {
    private let first: StoreStorefront?

    required init(_ store: SandboxStore) {
        first = store.storefront
        super.init(store)
    }

    override var storefront: StoreStorefront? { first }
}
