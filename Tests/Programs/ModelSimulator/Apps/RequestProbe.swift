import Foundation
import StoreCore

/// A probe of an app's request: it has one end, and the store's answer.
final class RequestProbe: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
    // unchecked: a run uses one thread.
    /// The request; nil where the store need not be asked.
    var trackedRequest: TrackedRequest?
    /// The result, nil while the request goes on.
    private(set) var outcome: TrackedRequest.Answer?
    private var response: TrackedRequest.Answer?
    private let device: Int
    private let process: ProcessState
    private let crashInjector: CrashInjector
    private unowned let eventLog: EventLog
    /// The order that is read, nil for anything else.
    private let order: [String]?

    init(
        _ device: Int,
        _ process: ProcessState,
        _ crashInjector: CrashInjector,
        _ eventLog: EventLog,
        order: [String]? = nil
    ) {
        self.device = device
        self.process = process
        self.crashInjector = crashInjector
        self.eventLog = eventLog
        self.order = order
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        crashInjector.pass()
        if process.hasCrashed { return }
        if self.response != nil || outcome != nil { eventLog.broke("device \(device) gets a second response") }
        self.response = TrackedRequest.Answer(
            response.products.map { ($0.productIdentifier, $0.price.decimalValue) },
            invalid: response.invalidProductIdentifiers
        )
    }

    func requestDidFinish(_ request: SKRequest) {
        crashInjector.pass()
        if !process.hasCrashed { end(response ?? .done) }
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        crashInjector.pass()
        if !process.hasCrashed { end(TrackedRequest.Answer(StoreFailure(error))) }
    }

    func ended(_ error: (any Error)?) {
        crashInjector.pass()
        if !process.hasCrashed { end(TrackedRequest.Answer(error.map { StoreFailure($0) })) }
    }

    func ended(_ order: [SKProduct], _ error: (any Error)?) {
        crashInjector.pass()
        if process.hasCrashed { return }
        end(error.map { TrackedRequest.Answer(StoreFailure($0)) } ?? .order(order.map(\.productIdentifier)))
    }

    private func end(_ outcome: TrackedRequest.Answer) {
        if self.outcome != nil { eventLog.broke("device \(device) hears twice how something ended that it asked") }
        self.outcome = outcome
    }

    /// The violation when nothing is in flight.
    var violation: String? {
        guard let outcome else { return "device \(device) never hears how something ended that it asked" }
        let right = self.right
        return outcome == right ? nil : "device \(device) is told \(outcome), and its store said \(right as Any)"
    }

    private var right: TrackedRequest.Answer? {
        guard let order else { return trackedRequest?.heard }
        guard case .products(let listings, _)? = trackedRequest?.heard else {
            return trackedRequest?.heard ?? .order([])
        }
        let sold = Set(listings.map(\.identifier))
        return .order(order.filter(sold.contains))
    }
}
