import Foundation
import StoreCore

/// A probe of an app's request: it has one end, and the store's answer.
final class RequestProbe: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
    // unchecked: a run uses one thread.
    /// The inquiry; nil where the store need not be asked.
    var inquiry: Inquiry?
    /// The result, nil while the request goes on.
    private(set) var outcome: Inquiry.Answer?
    private var response: Inquiry.Answer?
    private let device: Int
    private let pulse: ProcessState
    private let lifeline: CrashInjector
    private unowned let diary: EventLog
    /// The order that is read, nil for anything else.
    private let order: [String]?

    init(_ device: Int, _ pulse: ProcessState, _ lifeline: CrashInjector, _ diary: EventLog, order: [String]? = nil) {
        self.device = device
        self.pulse = pulse
        self.lifeline = lifeline
        self.diary = diary
        self.order = order
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        lifeline.pass()
        if pulse.isDead { return }
        if self.response != nil || outcome != nil { diary.broke("device \(device) gets a second response") }
        self.response = Inquiry.Answer(
            response.products.map { ($0.productIdentifier, $0.price.decimalValue) },
            invalid: response.invalidProductIdentifiers
        )
    }

    func requestDidFinish(_ request: SKRequest) {
        lifeline.pass()
        if !pulse.isDead { end(response ?? .done) }
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        lifeline.pass()
        if !pulse.isDead { end(Inquiry.Answer(StoreFailure(error))) }
    }

    func ended(_ error: (any Error)?) {
        lifeline.pass()
        if !pulse.isDead { end(Inquiry.Answer(error.map { StoreFailure($0) })) }
    }

    func ended(_ order: [SKProduct], _ error: (any Error)?) {
        lifeline.pass()
        if pulse.isDead { return }
        end(error.map { Inquiry.Answer(StoreFailure($0)) } ?? .order(order.map(\.productIdentifier)))
    }

    private func end(_ outcome: Inquiry.Answer) {
        if self.outcome != nil { diary.broke("device \(device) hears twice how something ended that it asked") }
        self.outcome = outcome
    }

    /// The violation when nothing is in flight.
    var violation: String? {
        guard let outcome else { return "device \(device) never hears how something ended that it asked" }
        let right = self.right
        return outcome == right ? nil : "device \(device) is told \(outcome), and its store said \(right as Any)"
    }

    private var right: Inquiry.Answer? {
        guard let order else { return inquiry?.heard }
        guard case .products(let listings, _)? = inquiry?.heard else { return inquiry?.heard ?? .order([]) }
        let sold = Set(listings.map(\.identifier))
        return .order(order.filter(sold.contains))
    }
}
