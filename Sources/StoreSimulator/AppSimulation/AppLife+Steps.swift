import Foundation
import StoreContract
import StoreCore

// What the steps of a life do. Where there is nothing to act on, a step does nothing: a store's refusal is not news.
extension AppLife {
    func take(_ step: AppStep) throws {
        switch step {
        case .action(let name):
            guard let action = simulation.actions.first(where: { $0.name == name }) else {
                throw AppSimulationError.unknownAction(name)
            }
            _ = act { try? await action.body($0) }
        case .kill(let count): arm(after: count)
        case .relaunch: relaunch()
        case .user(let new): answer.withLock { $0 = new }
        case .askToBuy(let isOn): attempt { try store.account.setAsksToBuy(isOn) }
        case .approve(let index): decide(index, .approve)
        case .decline(let index): decide(index, .decline())
        case .interrupt(let isOn): attempt { try store.account.setInterruptsPurchases(isOn) }
        case .settleInterruption(let index):
            if let issue = store.issues.at(index) { attempt { try store.resolveIssue(issue.transaction) } }
        case .buyElsewhere(let product): attempt { _ = try store.account.buy(product) }
        case .promote(let product): attempt { try device.promote(product) }
        case .signIn(let isOther): attempt { try device.signIn(to: isOther ? other : store.account) }
        case .familyBuys(let product): attempt { try familyBuys(product) }
        case .familyLeaves: attempt { try relative.family?.remove(relative) }
        case .storefront(let code): attempt { try store.setStorefront(code) }
        case .advance(let hours): clock.advance(by: Double(max(hours, 0)) * 3_600)
        case .autoRenew, .billingFails, .gracePeriod, .payBill, .expire, .askForConsent, .consent:
            takeSubscriptionStep(step)
        case .redeem(let code, let product): attempt { try store.account.redeem(code: code, of: product) }
        case .winBack(let offer, let product): attempt { try store.account.takeWinBackOffer(offer, of: product) }
        case .slowDownloads(let isSlow):
            store.downloadPace = isSlow ? .bytesPerSecond(1_000) : .atOnce
        case .failDownload(let file):
            device.failDownload(
                of: file,
                at: .chunk(1),
                with: .network(.networkConnectionLost, "the simulation fails it")
            )
        case .refund(let index): try refund(index)
        case .failPurchases(let code): store.purchaseFailure = code.map { .storeKit($0, "the simulation fails it") }
        case .sign(let defect):
            try changeSignature(to: defect)
        case .reachable(let isReachable): device.isReachable = isReachable
        case .fault(let fault, let point): injector.add(fault, at: point, times: 1)
        case .release: injector.releaseAll()
        }
    }

    private func takeSubscriptionStep(_ step: AppStep) {
        for subscription in store.account.subscriptions {
            let (account, group) = (store.account, subscription.groupIdentifier)
            attempt {
                switch step {
                case .autoRenew(let isOn): try account.setAutoRenew(isOn, inGroup: group)
                case .payBill: try account.resolveBillingIssue(inGroup: group)
                case .expire: try account.expireSubscription(inGroup: group)
                case .askForConsent: try account.requestPriceIncreaseConsent(inGroup: group)
                case .consent(let isGiven):
                    try account.answerPriceConsent(isGiven ? .agree : .decline, inGroup: group)
                default: break
                }
            }
        }
        switch step {
        case .billingFails(let isOn): attempt { try store.account.setBillingFails(isOn) }
        case .gracePeriod(let isOn): attempt { try store.setGrantsGracePeriod(isOn) }
        default: break
        }
    }

    private func changeSignature(to defect: SignatureDefect?) throws {
        // What was sold before could be trusted.
        try readTransactions()
        if store.signatureDefect == nil { trusted = Set(transactions.filter { $0.state == .purchased }.map(\.id)) }
        store.signatureDefect = defect
        if defect != nil { hasSignedWrongly = true }
        if defect == nil { untrusted = [] }
    }

    private func decide(_ index: Int, _ answer: Authorization) {
        if let request = store.undecided.at(index) { attempt { try store.decide(request.transaction, answer) } }
    }

    private func refund(_ index: Int) throws {
        try readTransactions()
        let sold = transactions.filter {
            $0.state == .purchased && $0.origin != .familySharing && $0.origin != .restoration
                && $0.cancellationDate == nil
        }
        if let transaction = sold.at(index) { attempt { try store.refund(transaction.id) } }
    }

    private func familyBuys(_ product: String) throws {
        let family = try store.families.first ?? store.addFamily("family", organiser: store.account)
        if relative.family == nil { try family.add(relative) }
        try relative.setSharesPurchases(true)
        try relative.buy(product)
    }

    /// Makes a change that the store may refuse in its state.
    private func attempt(_ change: () throws -> Void) { try? change() }
}

extension Array {
    /// The element at a place, counted around; nil in an empty array.
    fileprivate func at(_ index: Int) -> Element? { isEmpty ? nil : self[abs(index % count)] }
}
