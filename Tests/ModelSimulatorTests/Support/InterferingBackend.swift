import Foundation
import ModelSimulator
import StoreContract
import StoreCore
import Testing

/// A backend with somebody in between who does what the model does not know of.
final class InterferingBackend: ForwardingBackend, StorefrontService, ReceiptService, ContentService,
    OfferCodeService
{
    let backend: any StoreBackend
    /// What is done to the device before it takes anything in.
    private let interfere: @Sendable (SandboxDevice) -> Void
    /// What queues are not told.
    private let hides: @Sendable (StoreUpdate) -> Bool
    private let acknowledges: Bool
    /// What is said in place of apps that are asked whether a purchase goes on.
    private let continues: Bool?
    /// Which receipts the app does not get to see.
    private let keepsBack: @Sendable (Data) -> Bool
    /// Whether the bytes of files are mixed up.
    private let garbles: Bool
    /// Whether no bytes of files come.
    private let refusesContent: Bool
    /// Whether users get to see the sheet for codes.
    private let showsCodeSheet: Bool
    /// What apps read of a product.
    private let describe: @Sendable (StoreProduct) -> StoreProduct
    private let filters = ReceiverFilters()

    init(
        _ backend: any StoreBackend,
        interfere: @escaping @Sendable (SandboxDevice) -> Void = { _ in },
        hides: @escaping @Sendable (StoreUpdate) -> Bool = { _ in false },
        hidesTransactions: @escaping @Sendable (StoreTransaction) -> Bool = { _ in false },
        acknowledges: Bool = true,
        continues: Bool? = nil,
        keepsBack: @escaping @Sendable (Data) -> Bool = { _ in false },
        garbles: Bool = false,
        refusesContent: Bool = false,
        showsCodeSheet: Bool = true,
        describe: @escaping @Sendable (StoreProduct) -> StoreProduct = { $0 }
    ) {
        self.backend = backend
        self.interfere = interfere
        self.hides = { if case .transaction(let told) = $0, hidesTransactions(told) { true } else { hides($0) } }
        self.acknowledges = acknowledges
        self.continues = continues
        self.keepsBack = keepsBack
        self.garbles = garbles
        self.refusesContent = refusesContent
        self.showsCodeSheet = showsCodeSheet
        self.describe = describe
    }

    var services: StoreServices {
        var services = backend.services
        services.storefront = self
        services.receipts = self
        services.content = self
        services.codes = self
        return services
    }

    var storefront: StoreStorefront? { backend.services.storefront?.storefront }
    var appReceipt: Data? { backend.services.receipts?.appReceipt.flatMap { keepsBack($0) ? nil : $0 } }

    func receipt(forTransaction identifier: String) -> Data? {
        backend.services.receipts?.receipt(forTransaction: identifier)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.services.receipts?.refreshReceipt(properties, reply: reply)
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        if let device = backend as? SandboxDevice { interfere(device) }
        backend.submit(commands, reply: reply)
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(filters.add(receiver, hides), after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        for filter in filters.remove(receiver) { backend.disconnect(filter) }
    }

    func acknowledge(through cursor: UpdateCursor) { if acknowledges { backend.acknowledge(through: cursor) } }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        backend.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: continues ?? shouldContinue)
    }

    func presentCodeRedemptionSheet(reply: @escaping @Sendable (Result<String?, StoreFailure>) -> Void) {
        if showsCodeSheet {
            backend.services.codes?.presentCodeRedemptionSheet(reply: reply)
        } else {
            reply(.success(nil))
        }
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        if refusesContent { return reply(.failure(.network(.timedOut, "every night is slow"))) }
        backend.services.content?.fetchContent(request) { [garbles] answer in
            reply(garbles ? answer.map { Data($0.reversed()) } : answer)
        }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers) { [describe] answer in
            reply(
                answer.map {
                    ProductsAnswer(products: $0.products.map(describe), invalidIdentifiers: $0.invalidIdentifiers)
                }
            )
        }
    }
}

/// Receivers that are told only some updates.
private final class ReceiverFilters: @unchecked Sendable {  // unchecked: a run uses one thread
    private var all: [ReceiverFilter] = []

    func add(_ receiver: any StoreUpdateReceiver, _ hides: @escaping @Sendable (StoreUpdate) -> Bool) -> ReceiverFilter
    {
        let filter = ReceiverFilter(receiver, hides)
        all.append(filter)
        return filter
    }

    func remove(_ receiver: any StoreUpdateReceiver) -> [ReceiverFilter] {
        let found = all.filter { $0.receiver === receiver }
        all.removeAll { $0.receiver === receiver }
        return found
    }
}

private final class ReceiverFilter: StoreUpdateReceiver {
    let receiver: any StoreUpdateReceiver
    private let hides: @Sendable (StoreUpdate) -> Bool

    init(_ receiver: any StoreUpdateReceiver, _ hides: @escaping @Sendable (StoreUpdate) -> Bool) {
        self.receiver = receiver
        self.hides = hides
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        var batch = batch
        batch.updates.removeAll(where: hides)
        receiver.receive(batch)
    }

    func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
}

/// Runs operations with the sandbox store, then with another, which has to break a rule.
///
/// - Returns: The rule that this one breaks.
@discardableResult
func expectMatters(_ operations: [SimulatedOperation], unless standIn: @escaping StandIn) throws -> String {
    try SimulatedRun(seed: 0, operations: operations).run()
    let rule = #expect(throws: BrokenRule.self) {
        try SimulatedRun(seed: 0, operations: operations, standIn: standIn).run()
    }
    return rule?.sentence ?? ""
}
