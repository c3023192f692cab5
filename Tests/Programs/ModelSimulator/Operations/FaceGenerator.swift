import StoreCore

/// A generator of the faces of Store Kit that the apps of a run use: the first, the second, or both by turns.
///
/// It translates operations that were drawn for Store Kit 1, with a stream of its own: in a run whose apps use that alone
/// they stay what they were.
struct FaceGenerator {
    private enum Faces { case storeKit1, storeKit2, both }

    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: ~seed) }

    /// Returns as many operations, for the faces that are drawn.
    mutating func translated(_ operations: [SimulatedOperation]) -> [SimulatedOperation] {
        switch below(5) {
        case 0, 1: return operations
        case 2:
            // Apps begin with an observer.
            return operations.enumerated().map { index, operation in
                index < 3 ? .removeObserver(device: index) : translated(operation, for: .storeKit2)
            }
        default: return operations.map { translated($0, for: .both) }
        }
    }

    private mutating func translated(_ operation: SimulatedOperation, for faces: Faces) -> SimulatedOperation {
        if faces == .both, below(2) == 0 { return operation }
        switch operation {
        case .add(let device, let product, let quantity):
            return .purchase(device: device, product: product, quantity: quantity)
        case .finish(let device, let index): return .finishUnfinished(device: device, index: index)
        case .addObserver(let device): return .listenForUpdates(device: device, finishes: below(3) == 0)
        case .removeObserver(let device): return .cancelTask(device: device, index: below(4))
        case .requestProducts(let device): return .listenForUpdates(device: device, finishes: below(3) == 0)
        case .setPromotion(let device, _, _): return .pauseUpdates(device: device, below(2) == 0)
        case .restore(let device) where faces == .storeKit2: return .pauseUpdates(device: device, below(2) == 0)
        case .addOffer(let device, let offer, _) where faces == .storeKit2:
            return .purchase(device: device, product: offer.product, quantity: 1)
        case .addKept(let device): return .cancelTask(device: device, index: below(4))
        default: return operation
        }
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
}
