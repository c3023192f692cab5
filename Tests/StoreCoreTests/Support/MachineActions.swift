@testable import StoreCore

/// One of a machine's actions, of either kind, so that a test can list them in one literal.
///
/// Public as far as a literal's elements have to be.
public struct MachineAction {
    fileprivate enum Kind {
        case store(QueueMachine.StoreAction)
        case observers(QueueMachine.ObserverAction)
    }

    fileprivate let kind: Kind

    private static func store(_ action: QueueMachine.StoreAction) -> Self { Self(kind: .store(action)) }
    private static func observers(_ action: QueueMachine.ObserverAction) -> Self { Self(kind: .observers(action)) }

    static func connect(generation: Int, after cursor: UpdateCursor?) -> Self {
        .store(.connect(generation: generation, after: cursor))
    }
    static func submit(_ commands: [StoreCommand], number: Int) -> Self { .store(.submit(commands, number: number)) }
    static func record(_ commands: [StoreCommand]) -> Self { .store(.record(commands)) }
    static func forget(_ orders: [OrderID]) -> Self { .store(.forget(orders)) }
    static func wake(_ timer: QueueMachine.Timer, after pause: Double) -> Self { .store(.wake(timer, after: pause)) }
    static var disconnect: Self { .store(.disconnect) }
    static func show(_ number: Int, _ payment: StorePayment) -> Self { .observers(.show(number, payment)) }
    static func bring(_ number: Int, _ value: StoreTransaction) -> Self { .observers(.bring(number, value)) }
    static func change(_ number: Int, _ value: StoreTransaction) -> Self { .observers(.change(number, value)) }
    static func again(_ number: Int) -> Self { .observers(.again(number)) }
    static func withdraw(_ number: Int) -> Self { .observers(.withdraw(number)) }
    static func remove(_ number: Int) -> Self { .observers(.remove(number)) }
    static func restoreEnded(_ failure: StoreFailure?) -> Self { .observers(.restoreEnded(failure)) }
    static func mayContinue(_ number: Int, identifier: String, _ storefront: StoreStorefront) -> Self {
        .observers(.mayContinue(number, identifier: identifier, storefront))
    }
    static var storefrontChanged: Self { .observers(.storefrontChanged) }
    static func revoked(_ identifiers: [String]) -> Self { .observers(.revoked(identifiers)) }
    static func promoted(_ payment: StorePayment, _ product: StoreProduct) -> Self {
        .observers(.promoted(payment, product))
    }
    static func delivered(_ cursor: UpdateCursor) -> Self { .observers(.delivered(cursor)) }
}

extension QueueMachine.Actions: ExpressibleByArrayLiteral {
    /// Makes actions of both kinds.
    public init(arrayLiteral elements: MachineAction...) {
        self.init()
        for element in elements {
            switch element.kind {
            case .store(let action): append(action)
            case .observers(let action): append(action)
            }
        }
    }

    var isEmpty: Bool { store.isEmpty && observers.isEmpty }
    func contains(_ action: QueueMachine.StoreAction) -> Bool { store.contains(action) }
}
