import Foundation
import StoreContract
import StoreCore

// The checks of an app.
extension AppLife {
    /// Completes the life: makes all pending decisions, signs in each user, and launches the app again.
    nonisolated(nonsending) func windUp(_ step: Int) async throws {
        launches.running?.process.disarm()
        store.quirks = []
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
        try settleServer(before: step)
        try await checkLiveness(step)
        if user.second != nil {
            try await windUpDevice(step)
            _ = try take(.useSecondDevice(!user.usesSecond))
            try rest(step)
        }
        try await windUpDevice(step)
        try judge.checkBothDevices(step)
        try judgeServer(before: step)
    }

    /// Signs in each user on the device in use.
    private nonisolated(nonsending) func windUpDevice(_ step: Int) async throws {
        for isOther in setup.hasOtherUser ? [true, false] : [false] {
            _ = try take(.signIn(other: isOther))
            try decide(step)
            var before: Int?
            for _ in 0..<3 {
                try judge.readTransactions()
                // If a launch changed nothing and nothing is pending, the next one changes nothing either.
                if try judge.position == before && judge.unfinished().isEmpty { break }
                before = judge.position
                relaunch()
                try decide(step)
            }
            try judge.checkUnfinished(step)
            try await check(isOther ? .anotherUser : .end, before: step)
        }
    }

    /// Delivers everything, and makes the pending decisions.
    private func decide(_ step: Int) throws {
        try rest(step)
        for _ in store.undecidedRequests { _ = try take(.approve(0)) }
        for _ in store.interruptedPurchases { _ = try take(.settleInterruption(0)) }
        try settle(before: step)
    }

    /// Checks that an app delivers purchases while it runs, and not only after another launch.
    private nonisolated(nonsending) func checkLiveness(_ step: Int) async throws {
        // Purchases with a wrong signature or of another user may wait for another launch.
        try judge.readTransactions()
        let account = device.account?.name
        let isForAnother = judge.transactions.contains { $0.account != account && $0.account != AppStep.relativeName }
        if judge.hasSignedWrongly || isForAnother { return }
        // An app may try again at its next launch what its server did not answer.
        if launches.running?.process.condition.hasLostRequest == true { return }
        try await check(.whileRunning, before: step)
    }

    /// Advances the clock until lost messages have been noticed and sent again.
    private func rest(_ step: Int) throws {
        let turn = AppDevice.timeout + 1
        let end = clock.now + 4 * turn
        // Waits until no other thread, such as one of the app's own, does work for the store or a queue.
        clock.activity.comeToRest()
        try settle(before: step)
        try relaunchKilled(before: step)
        judge.hasWaited = true
        while clock.now < end, let deadline = clock.nextDeadline, deadline <= end {
            clock.advance(by: turn)
            user.current.wire?.releaseAll()
            try settle(before: step)
            try relaunchKilled(before: step)
        }
    }

    /// Checks the claims that the simulation's author has made about the app.
    nonisolated(nonsending) func check(_ moment: AppJudge.Moment, before step: Int) async throws {
        guard launches.running?.app != nil else {
            if moment == .end { throw AppViolation(sentence: "the app's launch never ends", step: step) }
            return
        }
        try judge.readTransactions()
        user.noteHomes(of: judge.transactions)
        judge.noteRenewals()
        // An app's deliveries do not change while none of its code runs.
        let asksForDeliveries = moment != .step || user.second != nil || launches.hasProgressed
        // The purchases shown since the last check, including those that a claim's query shows.
        let shown = asksForDeliveries ? judge.shown.taken() : ShownTransactions.Interval()
        defer { judge.hasWaited = false }
        var hasAsked = false
        for index in 0..<setup.claims.count where asksForDeliveries || !setup.claims[index].isOfDeliveries {
            if let sentence = try await sentence(on: setup.claims[index], index, shown, moment, step) {
                throw AppViolation("claim \(index)", sentence: sentence, step: step)
            }
            hasAsked = true
        }
        launches.noteCheck(hasAsked: hasAsked)
    }

    /// Checks only that the app does not deny access that it owes.
    nonisolated(nonsending) func checkAccess(before step: Int) async throws {
        try judge.readTransactions()
        judge.noteRenewals()
        for (index, claim) in setup.claims.enumerated() {
            guard case .neverDenies(let product, let isAllowed) = claim,
                let sentence = try await denial(of: product, isAllowed, step)
            else { continue }
            throw AppViolation("claim \(index)", sentence: sentence, step: step)
        }
    }

    /// Returns a sentence about access that an app owes and denies; nil if there is none.
    private nonisolated(nonsending) func denial(
        of product: String,
        _ isAllowed: LaunchedApp.Call<Bool>,
        _ step: Int
    ) async throws -> String? {
        guard let reason = judge.reasonForAccess(to: product), try await !ask(isAllowed, step) else { return nil }
        return "\(product): the user has no access for a moment, although \(reason)"
    }

    /// Returns a sentence about the violation of a claim; nil if there is none.
    private nonisolated(nonsending) func sentence(
        on claim: AppSimulationSetup.Claim,
        _ index: Int,
        _ shown: ShownTransactions.Interval,
        _ moment: AppJudge.Moment,
        _ step: Int
    ) async throws -> String? {
        switch claim {
        case .holds(let product, let count):
            let held = try await ask(count, step)
            user.current.deliveries[index] = .count(held)
            return judge.compare(held, of: product, index, shown, moment).map { "\(product): \($0)" }
        case .delivers(let product, let deliveries):
            let held = try await ask(deliveries, step)
            user.current.deliveries[index] = .byTransaction(held)
            return judge.compare(held, of: product, index, moment).map { "\(product): \($0)" }
        case .allows(let product, let isAllowed):
            guard moment == .end || moment == .anotherUser else { return nil }
            return try await judge.compare(ask(isAllowed, step), with: product)
        case .neverDenies(let product, let isAllowed): return try await denial(of: product, isAllowed, step)
        case .invariant(let sentence, let isKept):
            return try await ask(isKept, step) ? nil : "the app breaks its own rule: \(sentence)"
        }
    }

    private nonisolated(nonsending) func ask<R>(_ body: LaunchedApp.Call<R>, _ step: Int) async throws -> R {
        // A kill during the query would be the simulation's fault, not the app's.
        launches.running?.process.isSpared = true
        defer { launches.running?.process.isSpared = false }
        guard let answer = try await call(.asking(step), body) else {
            throw AppViolation(sentence: "the app does not answer what it has", step: step)
        }
        if Task.isCancelled {
            throw AppViolation(sentence: "the app cancels the task in which it is asked what it has", step: step)
        }
        // Work that the query has begun is a part of the query.
        launches.scheduler.drain()
        return answer
    }
}
