import StoreContract
import StoreCore
import StoreKit

// What must be true of the app.
extension AppLife {
    /// Brings the life to its end: whatever waits is decided, each user signs in, and the app is launched again.
    func windUp(_ step: Int) throws {
        running?.process.disarm()
        injector.removeAllRules()
        injector.releaseAll()
        for last in [AppStep.reachable(true), .user(.pays), .askToBuy(false), .interrupt(false), .failPurchases(nil)]
            + [.sign(nil), .billingFails(false), .storefront("USA"), .slowDownloads(false)]
        {
            try take(last)
        }
        // What was begun for the present user goes to the store before there is another one.
        try rest(step)
        try checkLiveness(step)
        for isOther in simulation.hasOtherUser ? [true, false] : [false] {
            try take(.signIn(other: isOther))
            for _ in 0..<3 {
                try rest(step)
                for _ in store.undecided { try take(.approve(0)) }
                for _ in store.issues { try take(.settleInterruption(0)) }
                relaunch()
            }
            try rest(step)
            try checkUnfinished(step)
            try check(isOther ? .anotherUser : .end, before: step)
        }
    }

    /// Checks that an app delivers what comes while it runs, and not only after another launch.
    private func checkLiveness(_ step: Int) throws {
        // What is signed wrongly, or for somebody else, waits for another launch.
        try readTransactions()
        let account = device.account?.name
        if hasSignedWrongly || transactions.contains(where: { $0.account != account && $0.account != "relative" }) {
            return
        }
        try check(.whileRunning, before: step)
    }

    /// Lets time pass until lost messages have shown, and been sent again.
    private func rest(_ step: Int) throws {
        let turn = injector.timeout + 1
        let end = clock.now + 4 * turn
        try settle(before: step)
        try relaunchKilled(before: step)
        while clock.now < end, let deadline = clock.nextDeadline, deadline <= end {
            clock.advance(by: turn)
            injector.releaseAll()
            try settle(before: step)
            try relaunchKilled(before: step)
        }
    }

    /// Checks that the device's user has nothing unfinished.
    private func checkUnfinished(_ step: Int) throws {
        guard let context = running?.context else { return }
        // Store Kit 2 shows no failed transactions: without an observer nobody could finish one of an earlier launch.
        let hasObserver = context.run { !SKPaymentQueue.default().transactionObservers.isEmpty }
        let left = try device.unfinished.first { hasObserver || $0.state != .failed }
        guard let left else { return }
        let state =
            switch left.state {
            case .purchasing, .deferred: "is still under way"
            case .purchased: "is paid for and never finished"
            case .restored: "is restored and never finished"
            case .failed: "has failed and is never finished"
            }
        throw Violation(sentence: "a transaction of \(left.productIdentifier) \(state)", step: step)
    }

    /// A moment at which an app is checked.
    enum Moment {
        /// Between two steps.
        case step
        /// When everything has come to rest, before another launch.
        case whileRunning
        /// At the end, for another user than the last.
        case anotherUser
        case end
    }

    /// Checks what is claimed.
    func check(_ moment: Moment, before step: Int) throws {
        guard running?.app != nil else {
            if moment == .end { throw Violation(sentence: "the app's launch never ends", step: step) }
            return
        }
        try readTransactions()
        note(transactions)
        for claim in simulation.claims {
            let sentence: String? =
                switch claim {
                case .holds(let product, let count):
                    try compare(ask(count, step), with: Sold(of: product, transactions, untrusted), moment)
                        .map { "\(product): \($0)" }
                case .allows(let product, let isAllowed):
                    moment == .end || moment == .anotherUser
                        ? try compare(ask(isAllowed, step), with: product, transactions) : nil
                case .invariant(let sentence, let isKept):
                    try ask(isKept, step) ? nil : "the app breaks its own rule: \(sentence)"
                }
            if let sentence { throw Violation(sentence: sentence, step: step) }
        }
    }

    private func ask<Answer>(_ body: @escaping @Sendable (App) async -> Answer, _ step: Int) throws -> Answer {
        // A kill during the answer would be no fault of the app's.
        guard let answer = running?.process.spared({ act { await body($0) } }) ?? nil else {
            throw Violation(sentence: "the app does not answer what it has", step: step)
        }
        return answer
    }

    /// Notes which transactions nobody could trust since they were sold.
    private func note(_ transactions: [SandboxTransaction]) {
        if !simulation.isVerified || store.signatureDefect == nil { return }
        untrusted = Set(transactions.filter { $0.state == .purchased }.map(\.id)).subtracting(trusted)
    }

    private func compare(_ held: Int, with sold: Sold, _ moment: Moment) -> String? {
        if simulation.isVerified, held > sold.trusted, held <= sold.paid {
            return "\(held) delivered, of which only \(sold.trusted) had a signature to trust"
        }
        if held > sold.paid { return "\(held) delivered, and only \(sold.paid) paid for" }
        guard moment == .end || moment == .whileRunning else { return nil }
        if moment == .end, simulation.isTakenBack, held > sold.paid - sold.refunded {
            return "\(held) kept, although \(sold.refunded) of \(sold.paid) were refunded"
        }
        if held < sold.paid - sold.refunded {
            let when = moment == .end ? "" : " before another launch"
            return "\(sold.paid) paid for, and only \(held) delivered\(when)"
        }
        return nil
    }

    private func compare(_ isAllowed: Bool, with product: String, _ transactions: [SandboxTransaction]) -> String? {
        let isEntitled = device.account?.entitlements.contains { $0.productIdentifier == product } ?? false
        if isAllowed == isEntitled { return nil }
        if isEntitled { return "\(product): the user is entitled to it, and has no access" }
        let isRefunded = isRefunded(product, transactions)
        if isRefunded, !simulation.isTakenBack { return nil }
        return
            "\(product): the user has access\(isRefunded ? ", although it was refunded" : ", and is not entitled to it")"
    }
}

extension AppLife {
    /// Whether what gave the device's user access last was refunded to whoever paid for it.
    private func isRefunded(_ product: String, _ transactions: [SandboxTransaction]) -> Bool {
        let sales = transactions.filter { $0.productIdentifier == product && $0.state == .purchased }
        guard let last = sales.last(where: { $0.account == device.account?.name }) else { return false }
        if let payer = last.sharedBy { return sales.last { $0.account == payer && $0.sharedBy == nil }?.refund != nil }
        return last.refund != nil
    }
}

/// What the users of the device have paid for.
private struct Sold {
    private(set) var paid = 0
    private(set) var refunded = 0
    private(set) var trusted = 0

    init(of product: String, _ transactions: [SandboxTransaction], _ untrusted: Set<String>) {
        for transaction in transactions
        where transaction.productIdentifier == product && transaction.state == .purchased
            && transaction.origin == .purchase && transaction.account != "relative"
        {
            paid += transaction.quantity
            if !untrusted.contains(transaction.id) { trusted += transaction.quantity }
            if transaction.cancellationDate != nil { refunded += transaction.quantity }
        }
    }
}
