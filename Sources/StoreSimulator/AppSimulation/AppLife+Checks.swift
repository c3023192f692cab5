import StoreContract
import StoreCore
import StoreKit

// The checks of an app.
extension AppLife {
    /// Completes the life: makes all pending decisions, signs in each user, and launches the app again.
    nonisolated(nonsending) func windUp(_ step: Int) async throws {
        launches.running?.process.disarm()
        for device in user.devices {
            device.wire?.removeAllRules()
            device.wire?.releaseAll()
            device.device.isReachable = true
        }
        historyFaults.removeAll()
        for last in [AppStep.user(.pays), .askToBuy(false), .interrupt(false), .failPurchases(nil)]
            + [.sign(nil), .billingFails(false), .storefront("USA"), .slowDownloads(false)]
        {
            _ = try take(last)
        }
        // Sends the current user's commands to the store before another user signs in.
        try rest(step)
        try await checkLiveness(step)
        if user.second != nil {
            let isSecond = user.usesSecond
            try await windUpDevice(step)
            _ = try take(.useSecondDevice(!isSecond))
            try rest(step)
        }
        try await windUpDevice(step)
        try checkBothDevices(step)
    }

    /// Signs in each user on the device in use.
    private nonisolated(nonsending) func windUpDevice(_ step: Int) async throws {
        for isOther in setup.hasOtherUser ? [true, false] : [false] {
            _ = try take(.signIn(other: isOther))
            try decide(step)
            var before: Int?
            for _ in 0..<3 {
                try readTransactions()
                // If a launch changed nothing and nothing is pending, the next one changes nothing either.
                if try position == before && unfinished.isEmpty { break }
                before = position
                relaunch()
                try decide(step)
            }
            try checkUnfinished(step)
            try await check(isOther ? .anotherUser : .end, before: step)
        }
    }

    /// Delivers everything, and makes the pending decisions.
    private func decide(_ step: Int) throws {
        try rest(step)
        for _ in store.undecided { _ = try take(.approve(0)) }
        for _ in store.issues { _ = try take(.settleInterruption(0)) }
        try launches.settle(before: step)
    }

    /// Checks that an app delivers purchases while it runs, and not only after another launch.
    private nonisolated(nonsending) func checkLiveness(_ step: Int) async throws {
        // Purchases with a wrong signature or of another user may wait for another launch.
        try readTransactions()
        let account = device.account?.name
        let isForAnother = transactions.contains { $0.account != account && $0.account != AppStep.relativeName }
        if hasSignedWrongly || isForAnother { return }
        try await check(.whileRunning, before: step)
    }

    /// Advances the clock until lost messages have been noticed and sent again.
    private func rest(_ step: Int) throws {
        let turn = AppDevice.timeout + 1
        let end = clock.now + 4 * turn
        launches.waitForThreads()
        try launches.settle(before: step)
        try relaunchKilled(before: step)
        hasWaited = true
        while clock.now < end, let deadline = clock.nextDeadline, deadline <= end {
            clock.advance(by: turn)
            user.current.wire?.releaseAll()
            try launches.settle(before: step)
            try relaunchKilled(before: step)
        }
    }

    /// The unfinished transactions of the device's user, as of the last reading of the store.
    private var unfinished: [SandboxTransaction] {
        get throws {
            // The device is queried only if a transaction is unfinished, since the query reads the whole ledger.
            try transactions.contains { !$0.isFinished } ? device.unfinished : []
        }
    }

    /// Checks that the device's user has no unfinished transactions.
    private func checkUnfinished(_ step: Int) throws {
        try readTransactions()
        guard launches.running != nil, let left = try unfinished.first else { return }
        let state =
            switch left.state {
            case .purchasing, .deferred: "is still under way"
            case .purchased: "is paid for and never finished"
            case .restored: "is restored and never finished"
            case .failed: "has failed and is never finished"
            }
        throw Violation("unfinished", sentence: "a transaction of \(left.productIdentifier) \(state)", step: step)
    }

    /// The occasion of a check.
    enum Moment {
        /// Between two steps.
        case step
        /// When all work is done, before another launch.
        case whileRunning
        /// At the end, for a user other than the last.
        case anotherUser
        case end
    }

    /// Checks the claims that the simulation's author has made about the app.
    nonisolated(nonsending) func check(_ moment: Moment, before step: Int) async throws {
        guard launches.running?.app != nil else {
            if moment == .end { throw Violation(sentence: "the app's launch never ends", step: step) }
            return
        }
        try readTransactions()
        note(transactions)
        user.noteHomes(of: transactions)
        // An app's deliveries do not change while none of its code runs.
        let asksForDeliveries = moment != .step || user.second != nil || launches.hasProgressed
        // The purchases shown since the last check, including those that a claim's query shows.
        let shown = asksForDeliveries ? shown.taken() : ShownTransactions.Interval()
        defer { hasWaited = false }
        var hasAsked = false
        for index in 0..<setup.claims.count where asksForDeliveries || !setup.claims[index].isOfDeliveries {
            if let sentence = try await sentence(on: setup.claims[index], index, shown, moment, step) {
                throw Violation("claim \(index)", sentence: sentence, step: step)
            }
            hasAsked = true
        }
        launches.noteCheck(hasAsked: hasAsked)
    }

    /// Returns a sentence about the violation of a claim; nil if there is none.
    private nonisolated(nonsending) func sentence(
        on claim: AppSimulationSetup.Claim,
        _ index: Int,
        _ shown: ShownTransactions.Interval,
        _ moment: Moment,
        _ step: Int
    ) async throws -> String? {
        switch claim {
        case .holds(let product, let count):
            let held = try await ask(count, step)
            user.current.deliveries[index] = .count(held)
            return compare(held, of: product, index, shown, moment).map { "\(product): \($0)" }
        case .delivers(let product, let deliveries):
            let held = try await ask(deliveries, step)
            user.current.deliveries[index] = .byTransaction(held)
            return compare(held, of: product, index, moment).map { "\(product): \($0)" }
        case .allows(let product, let isAllowed):
            guard moment == .end || moment == .anotherUser else { return nil }
            return try await compare(ask(isAllowed, step), with: product, transactions)
        case .invariant(let sentence, let isKept):
            return try await ask(isKept, step) ? nil : "the app breaks its own rule: \(sentence)"
        }
    }

    private nonisolated(nonsending) func ask<Answer>(
        _ body: LaunchedApp.Call<Answer>,
        _ step: Int
    ) async throws -> Answer {
        // A kill during the query would be the simulation's fault, not the app's.
        launches.running?.process.isSpared = true
        defer { launches.running?.process.isSpared = false }
        guard let answer = try await call(.asking(step), body) else {
            throw Violation(sentence: "the app does not answer what it has", step: step)
        }
        if Task.isCancelled {
            throw Violation(sentence: "the app cancels the task in which it is asked what it has", step: step)
        }
        // Work that the query has begun is a part of the query.
        launches.scheduler.drain()
        return answer
    }

    /// Notes the transactions whose signatures have been wrong since they were sold.
    private func note(_ transactions: [SandboxTransaction]) {
        if !setup.isVerified || store.signatureDefect == nil { return }
        untrusted = Set(transactions.filter(\.isSale).map(\.id)).subtracting(trusted)
    }

    private func compare(_ isAllowed: Bool, with product: String, _ transactions: [SandboxTransaction]) -> String? {
        let isEntitled = device.account?.entitlements.contains { $0.productIdentifier == product } ?? false
        if isAllowed == isEntitled { return nil }
        if isEntitled { return "\(product): the user is entitled to it, and has no access" }
        let isRefunded = isRefunded(product, transactions)
        if isRefunded, !setup.isTakenBack { return nil }
        return
            "\(product): the user has access\(isRefunded ? ", although it was refunded" : ", and is not entitled to it")"
    }
}

extension AppLife {
    /// Checks that purchases that may be delivered on either device were delivered on one of them.
    func checkBothDevices(_ step: Int) throws {
        guard let second = user.second else { return }
        for (index, claim) in setup.claims.enumerated() {
            let sentence: String?
            switch (claim, user.first.deliveries[index], second.deliveries[index]) {
            case (.holds(let product, _), .count(let here)?, .count(let there)?):
                let owed = sales(of: product, index).reduce(0) { $1.isRefunded ? $0 : $0 + $1.quantity }
                sentence =
                    here + there < owed
                    ? "\(product): \(owed) paid for, and only \(here + there) delivered on both devices" : nil
            case (.delivers(let product, _), .byTransaction(let here)?, .byTransaction(let there)?):
                let lost = sales(of: product, index).first {
                    !$0.isRefunded && max(here[$0.id, default: 0], there[$0.id, default: 0]) < $0.quantity
                }
                sentence = lost.map {
                    "\(product): \($0.quantity) paid for in transaction \($0.id), and not delivered on either device"
                }
            default: sentence = nil
            }
            if let sentence { throw Violation("claim \(index)", sentence: sentence, step: step) }
        }
    }

    /// Whether the last purchase that gave the device's user access was refunded to its payer.
    private func isRefunded(_ product: String, _ transactions: [SandboxTransaction]) -> Bool {
        let sales = transactions.filter { $0.productIdentifier == product && $0.isSale }
        guard let last = sales.last(where: { $0.account == device.account?.name }) else { return false }
        if let payer = last.sharedBy { return sales.last { $0.account == payer && $0.sharedBy == nil }?.refund != nil }
        return last.refund != nil
    }
}

/// A record of the purchases that an app was shown: an app can deliver or take back only purchases that it knows of.
final class ShownTransactions: Sendable {
    /// The purchases shown between two calls.
    struct Interval: Sendable {
        fileprivate(set) var transactions: Set<String> = []
        /// The products with a revocation that the app received.
        fileprivate(set) var revokedProducts: Set<String> = []
        /// Whether the app has read a receipt, which contains all purchases.
        fileprivate(set) var isEverything = false
    }

    private let interval = Locked(Interval())

    /// Returns what was shown since the last call.
    func taken() -> Interval {
        interval.withLock { interval in
            defer { interval = Interval() }
            return interval
        }
    }

    func note(_ batch: UpdateBatch) {
        interval.withLock { interval in
            for update in batch.updates {
                switch update {
                case .transaction(let transaction) where transaction.state == .purchased:
                    interval.transactions.insert(transaction.identifier)
                case .revoked(let products): interval.revokedProducts.formUnion(products)
                default: break
                }
            }
        }
    }

    func note(_ page: HistoryPage) {
        interval.withLock { $0.transactions.formUnion(page.transactions.map(\.content.transactionId)) }
    }

    func noteReceipt() { interval.withLock { $0.isEverything = true } }
}

/// The purchases of a product by the users of the devices.
///
/// The store's transactions are read after each step, and most of them have not changed: only those that can change are
/// checked again. No step deletes a transaction.
struct PurchaseList {
    private(set) var purchases: [DeliveryTracker.Purchase] = []
    /// The index among the store's transactions of each purchase.
    private var indices: [Int] = []
    /// The indices of transactions that may become a purchase.
    private var undecided: [Int] = []
    /// The number of transactions that have been read.
    private var count = 0

    /// Applies the current state of a product's transactions.
    mutating func update(of product: String, from transactions: [SandboxTransaction]) {
        // In place, since copying a transaction is slower than reading all its properties.
        for (place, index) in indices.enumerated() {
            purchases[place].isFinished = transactions[index].isFinished
            purchases[place].isRefunded = transactions[index].cancellationDate != nil
        }
        let waiting = undecided
        undecided = []
        for index in waiting { add(index, of: transactions) }
        for index in count..<transactions.count
        where transactions[index].origin == .purchase && transactions[index].productIdentifier == product
            && transactions[index].account != AppStep.relativeName
        {
            add(index, of: transactions)
        }
        count = transactions.count
    }

    private mutating func add(_ index: Int, of transactions: [SandboxTransaction]) {
        switch transactions[index].state {
        case .failed, .restored: return
        case .purchasing, .deferred: return undecided.append(index)
        // An order for a product already held is no sale.
        case .purchased: if transactions[index].held != nil { return }
        }
        indices.append(index)
        purchases.append(
            DeliveryTracker.Purchase(
                id: transactions[index].id,
                place: purchases.count,
                quantity: transactions[index].quantity,
                isFinished: transactions[index].isFinished,
                isRefunded: transactions[index].cancellationDate != nil
            )
        )
    }
}

/// A set of purchases, by their indices among those of their product.
struct PurchaseSet: Hashable {
    /// The bits of the first indices: most sets have no others, and need no array.
    private var first: UInt64 = 0
    /// The bits of further indices, without zeros at the end, so that equal sets have equal words.
    private var further: [UInt64] = []

    var isEmpty: Bool { first == 0 && further.isEmpty }

    /// The indices, in order.
    var places: [Int] {
        var places: [Int] = []
        forEach { places.append($0) }
        return places
    }

    func contains(_ place: Int) -> Bool {
        place < 64
            ? first >> UInt64(place) & 1 == 1
            : place >> 6 <= further.count && further[place >> 6 - 1] >> UInt64(place & 63) & 1 == 1
    }

    mutating func insert(_ place: Int) {
        if place < 64 { return first |= 1 << UInt64(place) }
        while further.count < place >> 6 { further.append(0) }
        further[place >> 6 - 1] |= 1 << UInt64(place & 63)
    }

    mutating func remove(_ place: Int) {
        if place < 64 { return first &= ~(1 << UInt64(place)) }
        guard place >> 6 <= further.count else { return }
        further[place >> 6 - 1] &= ~(1 << UInt64(place & 63))
        trim()
    }

    /// Inserts an index, or removes it if it is in the set.
    mutating func toggle(_ place: Int) { if contains(place) { remove(place) } else { insert(place) } }

    mutating func removeAll() {
        first = 0
        further.removeAll(keepingCapacity: true)
    }

    func union(_ other: PurchaseSet) -> PurchaseSet {
        var result = further.count >= other.further.count ? self : other
        let less = further.count >= other.further.count ? other : self
        result.first |= less.first
        for index in less.further.indices { result.further[index] |= less.further[index] }
        return result
    }

    func intersection(_ other: PurchaseSet) -> PurchaseSet {
        var result = PurchaseSet()
        result.first = first & other.first
        if further.isEmpty || other.further.isEmpty { return result }
        result.further = zip(further, other.further).map { $0 & $1 }
        result.trim()
        return result
    }

    func subtracting(_ other: PurchaseSet) -> PurchaseSet {
        var result = self
        result.first &= ~other.first
        for index in 0..<min(further.count, other.further.count) { result.further[index] &= ~other.further[index] }
        result.trim()
        return result
    }

    func isSuperset(of other: PurchaseSet) -> Bool { other.subtracting(self).isEmpty }

    func forEach(_ body: (Int) -> Void) {
        Self.forEach(in: first, from: 0, body)
        for (index, word) in further.enumerated() { Self.forEach(in: word, from: 64 * (index + 1), body) }
    }

    private static func forEach(in word: UInt64, from place: Int, _ body: (Int) -> Void) {
        var rest = word
        while rest != 0 {
            body(place + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    private mutating func trim() { while further.last == 0 { further.removeLast() } }
}
