import Foundation
import StoreCore

extension Scenario {
    /// The scenario of a payment that is longer than a store may take, submitted among others.
    static let refusing = Scenario(promises: [.refusalsHoldNothingUp]) { harness in
        let product = harness.subject.products.consumable
        let data = Data(count: Self.length)
        let long = StorePayment(productIdentifier: product, requestData: data)
        let orders = [harness.buy(product), harness.command(.purchase(long)), harness.buy(product)]
        let isRefused = try harness.submit(orders, orRefusing: orders[1].id)
        let taken = isRefused ? [orders[0], orders[2]] : orders
        for order in taken {
            let isDecided = harness.wait { $0.result(of: order.id) != nil }
            let why = "an order that was submitted with a long payment, or that payment, was taken and did not end"
            harness.results.hold(.refusalsHoldNothingUp, isDecided, why)
        }
        // No later scenario is to carry it along.
        try harness.finish(taken.compactMap { order in harness.look { $0.result(of: order.id) } })
    }

    /// The bytes of request data in the payment: what few servers take in a request.
    private static var length: Int { 2 << 20 }
}

extension TestHarness {
    /// Submits commands until they are taken, all or all but one; returns whether that one was refused.
    fileprivate func submit(_ commands: [StoreCommand], orRefusing refusable: OrderID) throws -> Bool {
        trace.change { $0.add(commands.filter { $0.id != refusable }) }
        for _ in 1...4 {
            let reply: SubmissionReply = try ask(.submissionsAnswered, "a submission with a long payment") {
                $0.submit(commands, reply: $1)
            }
            switch reply {
            case .taken:
                trace.change { $0.add(commands.filter { $0.id == refusable }) }
                results.hold(.refusalsHoldNothingUp, true, "")
                return false
            case .refused(let refused):
                let isRight = refused.map(\.id) == [refusable]
                results.hold(.refusalsHoldNothingUp, isRight, "what could be taken was refused with a long payment")
                guard isRight else { throw Stop(reason: "what could be taken was refused") }
                return true
            case .tryLater: try quiet()
            }
        }
        results.hold(
            .refusalsHoldNothingUp,
            false,
            "a submission with a long payment was to be tried later, four times"
        )
        throw Stop(reason: "a submission was not taken")
    }
}
