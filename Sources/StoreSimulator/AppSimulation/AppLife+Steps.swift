import Foundation
import StoreContract
import StoreCore

// The effects of the steps of a life. A step that has nothing to act on, or that the store refuses, has no effect.
extension AppLife {
    /// Performs a step; returns whether it had an effect.
    func take(_ step: AppStep) throws -> Bool {
        if step.mayEndWait { judge.hasWaited = true }
        switch step {
        // The life's task performs actions by itself, since they may suspend.
        case .action: return false
        case .kill(let count):
            guard let process = launches.running?.process, !process.isDead else { return false }
            process.arm(after: count)
            armingStep = course.index
        case .relaunch: relaunch()
        case .user(let new):
            return change(from: user.answer, to: new) {
                user.answer = new
                user.setAuthorizer(isDirect: launches.isDirect)
            }
        case .askToBuy(let isOn):
            return change(from: store.account.asksToBuy, to: isOn) { try store.account.setAsksToBuy(isOn) }
        case .approve(let index): return decide(index, .approve)
        case .decline(let index): return decide(index, .decline())
        case .interrupt(let isOn):
            user.hasInterrupted = true
            return change(from: store.account.interruptsPurchases, to: isOn) {
                try store.account.setInterruptsPurchases(isOn)
            }
        case .settleInterruption(let index):
            guard let issue = store.interruptedPurchases.at(index) else { return false }
            return attempt { try store.resolveInterruption(of: issue.transaction) }
        case .buyElsewhere(let product): return attempt { try buyElsewhere(product) }
        case .modifyElsewhere(let product): return modifyElsewhere(product)
        case .buyMonthlyElsewhere(let product):
            var payment = StorePayment(productIdentifier: product)
            payment.billingPlan = .monthly
            return attempt { _ = try store.account.buy(payment) }
        case .promote(let product): return attempt { try device.promote(product) }
        case .useSecondDevice(let isSecond): return try use(second: isSecond)
        case .signIn(let isOther):
            guard let account = isOther ? store.account(named: AppStep.otherName) : store.account else { return false }
            user.current.hasOtherUser = isOther
            judge.forgetShown()
            return change(from: device.account, to: account) { try device.signIn(to: account) }
        case .familyBuys(let product): return attempt { try familyBuys(product) }
        case .familyLeaves:
            guard let relative, let family = relative.family else { return false }
            return attempt { try family.remove(relative) }
        case .storefront(let code): return try move(to: code)
        case .advance(let hours):
            // Needs no settling: every earlier step has settled, or has no immediate consequences.
            clock.advanceAtRest(by: Double(max(hours, 0)) * 3_600)
            return hours > 0
        case .autoRenew(let isOn): return inEachGroup { try $0.setAutoRenew(isOn, inGroup: $1) }
        case .billingFails(let isOn):
            return change(from: store.account.billingFails, to: isOn) { try store.account.setBillingFails(isOn) }
        case .gracePeriod(let isOn):
            return change(from: store.grantsGracePeriod, to: isOn) { try store.setGrantsGracePeriod(isOn) }
        case .payBill: return inEachGroup { try $0.resolveBillingIssue(inGroup: $1) }
        case .expire: return inEachGroup { try $0.expireSubscription(inGroup: $1) }
        case .askForConsent: return inEachGroup { try $0.requestPriceIncreaseConsent(inGroup: $1) }
        case .consent(let isGiven):
            return inEachGroup { try $0.answerPriceConsent(isGiven ? .agree : .decline, inGroup: $1) }
        case .redeem(let code, let product): return attempt { try store.account.redeem(code: code, of: product) }
        case .winBack(let offer, let product):
            return attempt { try store.account.redeemWinBackOffer(offer, of: product) }
        case .slowDownloads(let isSlow):
            let pace: DownloadPace = isSlow ? .bytesPerSecond(1_000) : .atOnce
            return change(from: store.downloadPace, to: pace) { store.downloadPace = pace }
        case .failDownload(let file):
            device.failDownload(
                of: file,
                at: .chunk(1),
                with: .network(.networkConnectionLost, "the simulation fails it")
            )
        case .refund(let index): return try refund(index)
        case .failPurchases(let code):
            let failure = code.map { StoreFailure.storeKit($0, "the simulation fails it") }
            return change(from: store.purchaseFailure, to: failure) { store.purchaseFailure = failure }
        case .sign(let defect): return try changeSignature(to: defect)
        case .quirk(let quirk, let isOn):
            var quirks = store.quirks.filter { $0.kind != quirk.kind }
            if isOn { quirks.insert(quirk) }
            judge.metQuirks.formUnion(quirks.map(\.kind))
            return change(from: store.quirks, to: quirks) { store.quirks = quirks }
        case .reachable(let isReachable):
            return change(from: device.isReachable, to: isReachable) { device.isReachable = isReachable }
        case .fault(let fault, let point): user.current.connectedWire().add(fault, at: point, times: 1)
        case .release:
            guard let wire = user.current.wire, !wire.held.isEmpty else { return false }
            wire.releaseAll()
        case .loseConnection: user.current.wire?.cut()
        case .killServer, .killServerInRequest, .serverDown, .loseRequest, .loseResponse, .notification, .notifiesFirst:
            guard let server else { return false }
            server.take(step)
        case .failHistory(let failure): historyFaults.add(.fail(failure))
        case .delayHistory(let seconds): historyFaults.add(.delay(Double(max(seconds, 0))))
        }
        return true
    }

    /// Ends the app on one device and launches it on the other; returns whether the device has changed.
    private func use(second isSecond: Bool) throws -> Bool {
        guard isSecond != user.usesSecond else { return false }
        // The sales so far belong to the device that is put aside.
        try judge.readTransactions()
        let next = try user.device(second: isSecond)
        user.noteHomes(of: judge.transactions, next: next)
        relaunch(on: next)
        return true
    }

    /// Makes a change in each subscription group of the user; returns whether the store accepted any.
    private func inEachGroup(_ body: (SandboxAccount, String) throws -> Void) -> Bool {
        let account = store.account
        return account.subscriptions.reduce(false) { hasActed, subscription in
            attempt { try body(account, subscription.groupIdentifier) } || hasActed
        }
    }

    private func changeSignature(to defect: SignatureDefect?) throws -> Bool {
        if defect == store.signatureDefect { return false }
        // Earlier sales had valid signatures.
        try judge.readTransactions()
        if store.signatureDefect == nil { judge.trustSales() }
        return change(from: store.signatureDefect, to: defect) { store.signatureDefect = defect }
    }

    private func move(to country: String) throws -> Bool {
        do {
            let before = store.storefront
            try store.setStorefront(country)
            return store.storefront != before
        } catch {
            if case .unknownStorefront(let code) = (error as? SandboxError)?.reason {
                throw AppSimulationError.unknownCountry(code)
            }
            return false
        }
    }

    private func decide(_ index: Int, _ answer: Authorization) -> Bool {
        guard let request = store.undecidedRequests.at(index) else { return false }
        return attempt { try store.decide(request.transaction, as: answer) }
    }

    private func refund(_ index: Int) throws -> Bool {
        try judge.readTransactions()
        let transactions = judge.transactions
        // By index, since copying a transaction is slower than reading all its properties.
        let sold = transactions.indices.filter {
            transactions[$0].isSale && transactions[$0].origin != .familySharing
                && transactions[$0].origin != .restoration && transactions[$0].cancellationDate == nil
        }
        guard let place = sold.at(index) else { return false }
        return attempt { try store.refund(transactions[place].id) }
    }

    /// Buys a product without the app: a generic one by a request that the store signs.
    private func buyElsewhere(_ name: String) throws {
        let product = setup.products.first { $0.isAdvancedCommerce && $0.identifier == name }
        guard let request = product?.simulatedRequest(at: course.index, in: store.storefront?.countryCode) else {
            try store.account.buy(name)
            return
        }
        try store.account.buy(name, compactJWS: store.signedRequest(request))
    }

    /// Adds an item to the user's subscription of a generic product; returns whether the store accepted it.
    private func modifyElsewhere(_ name: String) -> Bool {
        let running = store.account.subscriptions.filter { $0.productIdentifier == name && $0.isRunning }
        let product = setup.products.first { $0.identifier == name }
        let country = store.storefront?.countryCode
        guard let transaction = running.last?.originalTransaction,
            let request = product?.simulatedRequest(at: course.index, in: country, addingTo: transaction)
        else { return false }
        return attempt { try store.account.buy(name, compactJWS: store.signedRequest(request)) }
    }

    private var relative: SandboxAccount? { store.account(named: AppStep.relativeName) }

    private func familyBuys(_ product: String) throws {
        let family = try store.families.first ?? store.addFamily("family", organizer: store.account)
        guard let relative else { return }
        if relative.family == nil { try family.add(relative) }
        try relative.setSharesPurchases(true)
        try relative.buy(product)
    }

    /// Makes a change that the store may refuse; returns whether the store accepted it.
    private func attempt(_ change: () throws -> Void) -> Bool {
        do {
            try change()
            return true
        } catch { return false }
    }

    /// Makes a change; returns whether the value is new and the store accepted it.
    private func change<Value: Equatable>(from old: Value, to new: Value, _ body: () throws -> Void) -> Bool {
        old != new && attempt(body)
    }
}

extension AppStep {
    /// Whether the step has no consequences before the next step.
    var isSilent: Bool {
        switch self {
        case .kill, .user, .failPurchases, .failDownload, .fault, .failHistory, .delayHistory: true
        case .killServer, .killServerInRequest, .serverDown, .loseRequest, .loseResponse, .notification, .notifiesFirst:
            true
        default: false
        }
    }

    /// Whether the step ends the running launch.
    var endsLaunch: Bool {
        switch self {
        case .relaunch, .useSecondDevice: true
        default: false
        }
    }

    /// Whether the step needs another user.
    var involvesOthers: Bool {
        switch self {
        case .signIn, .familyBuys, .familyLeaves: true
        default: false
        }
    }

    /// Whether the step disturbs messages between an app and the store, or kills the app at a boundary.
    var disturbs: Bool {
        switch self {
        case .kill, .fault, .loseConnection: true
        default: false
        }
    }

    /// Whether an order may reach the store later than the app makes it.
    var keepsOrders: Bool {
        switch self {
        case .reachable(false), .delayHistory, .quirk: true
        default: disturbs
        }
    }

    /// Whether the step may end a wait of the app.
    fileprivate var mayEndWait: Bool {
        switch kind {
        case .time, .wire, .connection, .acknowledgement, .reading, .secondDevice, .quirk: true
        default: false
        }
    }
}

extension SandboxProduct {
    /// Returns the request of the step at an index that buys the generic product in a country, or adds an item to the
    /// subscription of a transaction; nil for another product.
    func simulatedRequest(at step: Int, in country: String?, addingTo transaction: String? = nil) -> Data? {
        var references = SplitMix64(seed: UInt64(step))
        let currency = country.flatMap(Storefronts.storefront)?.currency ?? "USD"
        guard let transaction else { return sampleRequest(references.uuid(), currency: currency) }
        return sampleAddition(references.uuid(), sku: "item.\(step)", to: transaction, currency: currency)
    }
}

extension Array {
    /// The element at an index, counted from the beginning again after the end; nil in an empty array.
    fileprivate func at(_ index: Int) -> Element? { isEmpty ? nil : self[abs(index % count)] }
}
