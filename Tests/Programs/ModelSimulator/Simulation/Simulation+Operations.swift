import StoreContract
import StoreCore

extension Simulation {
    /// Performs one operation.
    func take(_ operation: SimulatedOperation) {
        modelDriver.model.advance(to: clock.now)
        noteWhoIsHeard()
        for device in apps.indices { eventLog.payments.downloads[device] = apps[device].downloads.active }
        modelDriver.coverage.note(operation, modelDriver.model, eventLog.payments)
        eventLog.noteDisturbance(operation)
        switch operation {
        case .add(let device, let product, let quantity): add(product, max(quantity, 1), on: device % 3)
        case .finish(let device, let index): finish(index, on: device % 3)
        case .purchase(let device, let product, let quantity): purchase(product, max(quantity, 1), on: device % 3)
        case .finishUnfinished(let device, let index): finishUnfinished(index, on: device % 3)
        case .listenForUpdates(let device, let finishes): listenForUpdates(on: device % 3, finishes: finishes)
        case .pauseUpdates(let device, let isOn): pauseUpdates(isOn, on: device % 3)
        case .cancelTask(let device, let index): cancelTask(index, on: device % 3)
        case .restore(let device): restore(on: device % 3)
        case .approve(let index): decide(index, .approve)
        case .cancel(let index): decide(index, .cancel)
        case .decline(let index): decide(index, .decline)
        case .advance(let days):
            clock.advance(by: Double(days) * 86_400)
            pauses.advance(by: min(Double(days) * 86_400, 300))
        case .addObserver(let device): setObserved(true, on: device % 3)
        case .removeObserver(let device): setObserved(false, on: device % 3)
        case .signIn(let device, let account): signIn(account % 2, on: device % 3)
        case .signOut(let device): signIn(nil, on: device % 3)
        case .setAutoRenew(let account, let isOn): setAutoRenew(isOn, of: account % 2)
        case .askToBuy(let account, let isOn):
            set(\.asksToBuy, \.asksToBuy, isOn, of: account % 2) { try $0.setAsksToBuy($1) }
        case .interruptPurchases(let account, let isOn):
            set(\.isInterrupted, \.interruptsPurchases, isOn, of: account % 2) { try $0.setInterruptsPurchases($1) }
        case .resolveIssue(let index): resolveIssue(index)
        case .buy(let account, let product, let quantity): buy(product, max(quantity, 1), by: account % 2)
        case .promote(let device, let product, let isTaken): promote(product, on: device % 3, isTaken: isTaken)
        case .addKept(let device): addKept(on: device % 3)
        case .setStorefront(let country, let continues): setStorefront(country, continues: continues)
        case .failPurchases(let isOn): failPurchases(isOn)
        case .failBilling(let account, let isOn):
            set(\.billingFails, \.billingFails, isOn, of: account % 2) { try $0.setBillingFails($1) }
        case .grantGracePeriod(let isOn): grantGracePeriod(isOn)
        case .resolveBilling(let account): resolveBilling(of: account % 2)
        case .askForConsent(let account): askForConsent(account % 2)
        case .answerConsent(let account, let agrees): answerConsent(agrees, of: account % 2)
        case .expire(let account): expire(account % 2)
        case .forceRenewal(let account): forceRenewal(of: account % 2)
        case .commit(let account): commit(account % 2)
        case .charge(let account, let cents, let repeats): charge(max(cents, 1), repeats, to: account % 2)
        case .request(let account, let request, let group): self.request(request, of: account % 2, in: group)
        case .refundItem(let index, let item, let extent, let revokes):
            refund(item, of: index, extent, revokes: revokes)
        case .change(let account, let group, let change): self.change(group, of: account % 2, change)
        case .limitRenewals(let limit): limitRenewals(to: limit)
        case .raisePrice(let product, let cents): raisePrice(of: product, to: max(cents, 0))
        case .refund(let index): refund(index, percentage: 100)
        case .refundHalf(let index): refund(index, percentage: 50)
        case .deleteTransaction(let index): deleteTransaction(index)
        case .clearTransactions: clearTransactions()
        case .addOffer(let device, let offer, let signature): add(offer, signature, on: device % 3)
        case .redeem(let account, let offer): redeem(offer, by: account % 2, isWonBack: false)
        case .presentCodeSheet(let device, let offer): presentCodeSheet(offer, on: device % 3)
        case .winBack(let account, let offer): redeem(offer, by: account % 2, isWonBack: true)
        case .refreshReceipt(let device, let kind): refreshReceipt(kind, on: device % 3)
        case .requestProducts(let device): requestProducts(on: device % 3)
        case .readStorefront(let device): readStorefront(on: device % 3)
        case .orderPromotions(let device, let products): orderPromotions(products, on: device % 3)
        case .setPromotion(let device, let product, let isShown):
            setPromotion(of: product, isShown: isShown, on: device % 3)
        case .readPromotions(let device): readPromotions(on: device % 3)
        case .requestToken(let device): requestToken(on: device % 3)
        case .download(let device, let action, let index): download(action, index, on: device % 3)
        case .failDownload(let device): failDownload(on: device % 3)
        case .foundFamily(let account): foundFamily(account % 2)
        case .joinFamily(let account): joinFamily(account % 2)
        case .leaveFamily(let account): leaveFamily(account % 2)
        case .sharePurchases(let account, let isOn):
            set(\.sharesPurchases, \.sharesPurchases, isOn, of: account % 2) { try $0.setSharesPurchases($1) }
        case .reachable(let device, let isReachable): setReachable(isReachable, device % 3)
        case .injectFault(let device, let fault, let point):
            if !directWires.isEmpty, DirectWire.points.contains(point) {
                directWires[device % 3].plan(fault, at: point)
            } else {
                eventLog.requests[device % 3].plan(fault, at: point, on: wires[device % 3])
            }
        case .release(let device): release(device % 3)
        case .relaunch(let device): relaunch(device % 3)
        case .crash(let count, let who): crashInjector.arm(after: count, for: who)
        }
    }

    private func release(_ device: Int) {
        wires[device].releaseAll()
        if !directWires.isEmpty { directWires[device].releaseAll() }
    }

    private func releaseAll() { for device in apps.indices { release(device) } }

    /// Notes which accounts an app can hear of; unheard renewals are counted apart.
    private func noteWhoIsHeard() {
        for account in modelDriver.model.accounts.indices {
            modelDriver.model.accounts[account].isHeard = apps.indices.contains {
                modelDriver.model.devices[$0].account == account && modelDriver.isReachable[$0] && isFollowed($0)
            }
        }
    }

    /// Winds the run up: the wire is whole, everything is decided and checked, by each account and after relaunches.
    ///
    /// - Returns: the violation, if any.
    func end() throws -> String? {
        crashInjector.disarm()
        try relaunchCrashed()
        failPurchases(false)
        setStorefront(.usa, continues: true)
        for device in apps.indices {
            wires[device].removeAllRules()
            if !directWires.isEmpty { directWires[device].forgetPlans() }
            eventLog.requests[device].forgetPlans()
            setReachable(true, device)
            setObserved(true, on: device)
            if usesTasks { apps[device].tasks.pauseUpdates(false) }
        }
        // Whole files arrive in two days.
        if waitingForClock > 0 {
            releaseAll()
            clock.advance(by: 2 * 86_400)
        }
        if let violation = quieten() { return violation }
        eventLog.disturbancesAreOver()
        for account in Model.accountNames.indices {
            for device in apps.indices { signIn(account, on: device) }
            if let violation = quieten() ?? finishDownloads() ?? quieten() ?? checkReceipts() { return violation }
        }
        passPauses()
        if let violation = quieten() { return violation }
        for device in apps.indices { relaunch(device) }
        if let violation = quieten() { return violation }
        // The last commit is read back too.
        try crashStore()
        if let violation = quieten() { return violation }
        if let violation = checkNews() { return violation }
        if let violation = checkRefunds() ?? checkReceipts() { return violation }
        let lost = eventLog.accepted.union(eventLog.added).union(eventLog.payments.recorded).filter {
            modelDriver.model.entry(ofTag: $0) == nil
        }
        if let tag = lost.min() { return "payment \(tag) was accepted or kept and never reached the store" }
        return nil
    }

    /// Has everything repeated that could not be read by Store Kit 2.
    private func passPauses() { if usesTasks { pauses.advance(by: 600) } }

    /// Checks that known updates are not sent to an app's next launch.
    private func checkNews() -> String? {
        let (offers, revocations) = (eventLog.offers, eventLog.revocations)
        for device in apps.indices { relaunch(device) }
        if let violation = quieten() { return violation }
        for device in apps.indices {
            if eventLog.offers[device] != offers[device] {
                return "device \(device) is offered again what it was before"
            }
            if eventLog.revocations[device] != revocations[device] {
                return "device \(device) hears again of access that ended before"
            }
        }
        return nil
    }

    /// Moves on until nothing is in flight, then checks.
    private func quieten() -> String? {
        for _ in 0..<60 {
            if let violation = check() { return violation }
            if settle().isEmpty { return nil }
            if waitingForOperator > 0 {
                for _ in 0..<waitingForOperator { decide(0, .approve) }
            } else if let issue = modelDriver.model.resolvableIssue {
                resolveIssue(issue)
            } else {
                clock.advance(by: 60)
                pauses.advance(by: 300)
            }
            releaseAll()
        }
        return "what waits never comes: \(settle())"
    }
}
