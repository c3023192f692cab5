import StoreContract
import StoreCore

extension Fault {
    static let ofNotices: [Fault] = [
        Fault(KeepsNoticesToItself.self, .noticesTold),
        Fault(ForgetsRevocations.self, .noticesShown),
        Fault(ForgetsPromotedPurchases.self, .noticesShown),
        Fault(AcknowledgesEverything.self, .noticesShown),
        Fault(ForgetsNoticesWhenReopened.self, .noticesShown),
        Fault(IgnoresAcknowledgements.self, .noticesEnd),
        Fault(KeepsTheStorefrontToItself.self, .storefrontTold),
        Fault(StaysInItsStorefront.self, .storefrontTold),
    ]
}

extension StoreUpdate {
    fileprivate var isRevocation: Bool { if case .revoked = self { true } else { false } }
    fileprivate var isPromotion: Bool { if case .promoted = self { true } else { false } }
    fileprivate var isNotice: Bool { isRevocation || isPromotion }
}

/// Tells of revocations and promoted purchases in snapshots only.
private final class KeepsNoticesToItself: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.isSnapshot ? batch : batch.replacing(batch.updates.filter { !$0.isNotice })]
    }
}

/// Leaves something out of its snapshots.
private class ForgetsInSnapshots: SpoiltStore, @unchecked Sendable {
    func forgets(_ update: StoreUpdate) -> Bool { false }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.isSnapshot ? batch.replacing(batch.updates.filter { !forgets($0) }) : batch]
    }
}

/// Tells a revocation once, to whoever is there.
private final class ForgetsRevocations: ForgetsInSnapshots, @unchecked Sendable {
    override func forgets(_ update: StoreUpdate) -> Bool { update.isRevocation }
}

/// Tells a promoted purchase once, to whoever is there.
private final class ForgetsPromotedPurchases: ForgetsInSnapshots, @unchecked Sendable {
    override func forgets(_ update: StoreUpdate) -> Bool { update.isPromotion }
}

/// Keeps in memory what has to be told.
private final class ForgetsNoticesWhenReopened: ForgetsInSnapshots, @unchecked Sendable {
    override func forgets(_ update: StoreUpdate) -> Bool { isReopened && update.isNotice }
}

/// Takes any acknowledgement for one of everything.
private final class AcknowledgesEverything: SpoiltStore, @unchecked Sendable {
    override func acknowledge(through cursor: UpdateCursor) {
        super.acknowledge(through: UpdateCursor(position: .max))
    }
}

/// Tells again and again.
private final class IgnoresAcknowledgements: SpoiltStore, @unchecked Sendable {
    override func acknowledge(through cursor: UpdateCursor) {}
}

/// Moves without a word.
private final class KeepsTheStorefrontToItself: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.replacing(batch.updates.filter { if case .storefront = $0 { false } else { true } })]
    }
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
