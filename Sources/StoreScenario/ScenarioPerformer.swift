import Foundation
import StoreCore

/// A performer of commands on a store, line by line.
///
/// Any thread may call a performer. Commands that depend on each other have to be performed one after another.
public struct ScenarioPerformer: Sendable {
    /// The store.
    public let store: SandboxStore
    private let session: Session

    /// Creates a performer.
    ///
    /// Commands act for the account that is signed in on the store's first device, unless they choose another.
    public init(store: SandboxStore) {
        self.store = store
        session = Session(store: store)
    }

    /// Performs one line.
    ///
    /// - Returns: the command's result. A failed purchase is a result too, since an app receives it.
    /// - Throws: ``ScenarioError`` for an invalid line; otherwise as ``perform(_:)-(ScenarioStep)``.
    public func perform(_ line: String) throws(ScenarioError) -> ScenarioAnswer { try perform(try ScenarioStep(line)) }

    /// Performs a step.
    ///
    /// - Returns: the command's result; for a step that begins with `try`, perhaps the store's refusal.
    /// - Throws: ``ScenarioError`` for a step that the store refuses, unless the step begins with `try`, and for one that
    ///   cannot be performed because the store's ledger or signer fails.
    public func perform(_ step: ScenarioStep) throws(ScenarioError) -> ScenarioAnswer {
        let call = Call(store: store, session: session, name: step.command.name, arguments: step.arguments)
        let refusal: ScenarioError
        do {
            let answer = try step.command.body(call)
            if step.command.isSetting { remember(step) }
            return answer
        } catch let error as ScenarioError {
            refusal = error.at(file: nil, line: step.line)
        } catch {
            let kind = Self.isRefusal(error) ? ScenarioError.Kind.refused : .failed
            refusal = ScenarioError("\(step.command.name): \(Self.sentence(for: error))", kind: kind)
                .at(file: nil, line: step.line)
        }
        guard step.isTry, refusal.kind != .failed else { throw refusal }
        return step.answer(to: refusal)
    }

    /// Returns the identifiers of the transactions on which a command without options can act.
    func identifiers(in pool: ScenarioTransactions) throws -> [String] {
        try Call(store: store, session: session, name: "", arguments: [:]).identifiers(in: pool)
    }

    /// Lets commands cause faults on the connections of remote devices, which are not retained.
    package func connect(to connections: any DeviceConnections) { session.connections = connections }

    /// The lines of commands that restore the settings made so far that no ledger stores, in order.
    ///
    /// To restore the settings, perform the lines after the store's ledger was reopened.
    package var settings: [String] { session.settings }

    /// Applies those settings of a store's file that no ledger stores, as if commands had made them.
    package func adopt(_ settings: StoreConfiguration.Settings) throws(ScenarioError) {
        var lines = ["locale \(Word.source(of: settings.locale))", "renewal-rate \(settings.renewalRate.word)"]
        if let failure = settings.purchaseFailure?.word { lines.append("purchase-failure \(failure)") }
        for line in lines { _ = try perform(line) }
    }

    private func remember(_ step: ScenarioStep) {
        guard step.command.name != "reset" else {
            session.forgetSettings()
            return
        }
        if step.command.name == ScenarioCommand.quirk.name {
            // One line for all quirks, since each command changes some of them.
            let names = store.quirks.names.joined(separator: ",")
            session.remember(names.isEmpty ? "quirk all off" : "quirk \(names) on", key: step.command.name)
            return
        }
        var (step, key) = (step, step.command.name)
        if step.command.options.contains(.device), let device = session.device { step.choose(device: device) }
        if key != "use", let device = step.device { key += " \(device)" }
        session.remember(step.description, key: key)
    }

    /// Returns whether an error is the store's decision, not a failure of its ledger or its signer.
    private static func isRefusal(_ error: any Error) -> Bool {
        error is StoreFailure || error is SandboxError || error is RetentionError || error is ClockError
            || error is CatalogError
            || error is StoreConfigurationError || error is ServerRefusal || error is ReceiptRefusal
    }

    private static func sentence(for error: any Error) -> String {
        guard let failure = error as? StoreFailure else { return "\(error)" }
        return "\(failure.word ?? "code \(failure.code)"): \(failure.reason)"
    }
}

extension ScenarioPerformer {
    /// The maximum number of names that are listed.
    private static let nameLimit = 500

    /// Returns the names in the store that are valid for a kind of word: the newest 500.
    ///
    /// - Parameter kind: the kind. A kind that does not depend on the store has no names; see
    ///   ``ScenarioValueKind/words``.
    /// - Returns: identifiers or names, the oldest first.
    /// - Throws: the error that prevents reading the ledger.
    package func names(of kind: ScenarioValueKind) throws -> [String] {
        try allNames(of: kind).suffix(Self.nameLimit)
    }

    private func allNames(of kind: ScenarioValueKind) throws -> [String] {
        switch kind {
        case .product: return store.registeredProducts.map(\.identifier)
        case .account: return store.accounts.map(\.name)
        case .device: return store.devices.map(\.name)
        case .family: return store.families.map(\.name)
        case .subscriptionGroup:
            var seen: Set<String> = []
            let groups = store.registeredProducts.compactMap { $0.subscription?.groupIdentifier }
            return groups.filter { seen.insert($0).inserted }
        case .transaction(let pool): return try identifiers(in: pool)
        case .either(_, let kind): return try allNames(of: kind)
        case .duration, .moment, .number, .price, .country, .failure, .quirks, .choice, .text: return []
        }
    }
}

extension ScenarioValueKind {
    /// The name of a kind that depends on the store, as in `product` or `undecided`; nil for any other kind.
    package var noun: String? {
        switch self {
        case .product: "product"
        case .account: "account"
        case .device: "device"
        case .family: "family"
        case .subscriptionGroup: "group"
        case .transaction(.all): "transaction"
        case .transaction(.refundRequests): "refund-request"
        case .transaction(let pool): pool.rawValue
        case .either(_, let kind): kind.noun
        case .duration, .moment, .number, .price, .country, .failure, .quirks, .choice, .text: nil
        }
    }

    /// The kinds that depend on the store.
    ///
    /// Each has its own ``noun``.
    package static let named: [ScenarioValueKind] =
        [.product, .account, .device, .family, .subscriptionGroup]
        + [.all, .sold, .undecided, .interrupted, .refunded, .refundRequests, .unfinished].map { .transaction($0) }
}
