import Foundation
import StoreCore
import StoreScenario

/// An act that fits the state of a row: the label of its button, and the line of a scenario that performs it.
struct ConsoleAct {
    let label: String
    let line: String
    let isMain: Bool
    let isDestructive: Bool
    /// The question before an act that cannot be taken back; nil for none.
    let question: String?

    /// Creates an act.
    ///
    /// - Parameters:
    ///   - label: the label of the button.
    ///   - command: the command's name.
    ///   - words: the words after the name.
    ///   - account: the account for `--account`.
    ///   - device: the device for `--device`.
    ///   - isMain: whether the act is what one most often wants to do.
    ///   - isDestructive: whether the act takes something away.
    ///   - question: the question before an act that cannot be taken back; nil for none.
    init(
        _ label: String,
        _ command: String,
        _ words: String...,
        account: String? = nil,
        device: String? = nil,
        isMain: Bool = false,
        isDestructive: Bool = false,
        question: String? = nil
    ) {
        var parts = [command] + words.map(Self.quoted)
        if let account { parts += ["--account", Self.quoted(account)] }
        if let device { parts += ["--device", Self.quoted(device)] }
        (self.label, line) = (label, parts.joined(separator: " "))
        (self.isMain, self.isDestructive, self.question) = (isMain, isDestructive, question)
    }

    private static func quoted(_ word: String) -> String { Word.source(of: word, isQuoted: true) }

    /// The act as JSON.
    var json: JSONValue {
        [
            "label": .string(label), "line": .string(line), "isMain": .bool(isMain),
            "isDestructive": .bool(isDestructive), "question": .optional(question),
        ]
    }
}

extension [ConsoleAct] {
    /// The acts as JSON.
    var json: JSONValue { .array(map(\.json)) }
}

extension ConsoleAct {
    /// Returns the acts on a transaction.
    ///
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - state: the transaction's state.
    ///   - isRefundRequested: whether a request for a refund is undecided.
    ///   - device: a device that can finish the transaction; nil for none.
    /// - Returns: the acts, the main one first if there is one.
    static func acts(
        on transaction: SandboxTransaction,
        _ state: ConsoleState,
        isRefundRequested: Bool,
        device: String?
    ) -> [ConsoleAct] {
        let id = transaction.id
        var acts: [ConsoleAct] = []
        switch state {
        case .waits, .inProgress:
            return [
                ConsoleAct("Approve", "approve", id, isMain: true),
                ConsoleAct("Decline", "decline", id, isDestructive: true),
                ConsoleAct("Cancel as buyer", "cancel", id, isDestructive: true),
            ]
        case .interrupted: acts.append(ConsoleAct("Resolve", "resolve", id, isMain: true))
        case .sold where isRefundRequested:
            acts.append(ConsoleAct("Grant refund", "refund", id, isMain: true))
            acts.append(ConsoleAct("Decline refund", "decline-refund", id, isDestructive: true))
        case .sold where transaction.chargedAmount != nil:
            acts.append(ConsoleAct("Refund", "refund", id, isDestructive: true))
            if transaction.chargedAmount ?? 0 > 0 { acts.append(ConsoleAct("Ask for a refund", "request-refund", id)) }
        case .refunded where transaction.refundedAmount != nil:
            acts.append(ConsoleAct("Reverse the refund", "reverse-refund", id))
        case .sold, .refunded, .failed, .restored: break
        }
        if !transaction.isFinished, state != .interrupted, let device {
            acts.append(ConsoleAct("Finish", "finish", id, device: device))
        }
        acts.append(
            ConsoleAct(
                "Delete",
                "delete",
                id,
                isDestructive: true,
                question: "Delete #\(id) from the store, as if it never was? It cannot be taken back."
            )
        )
        return acts
    }

    /// Returns the acts on an account's subscription.
    ///
    /// - Parameters:
    ///   - subscription: the subscription.
    ///   - account: the account.
    ///   - period: the transaction of the newest period; nil if it cannot be refunded.
    ///   - canBuy: whether the account is signed in on a device.
    /// - Returns: the acts, the main one first if there is one.
    static func acts(
        on subscription: SandboxSubscription,
        of account: String,
        period: String?,
        canBuy: Bool
    ) -> [ConsoleAct] {
        let group = subscription.groupIdentifier
        func act(_ label: String, _ command: String, isMain: Bool = false, isDestructive: Bool = false) -> ConsoleAct {
            ConsoleAct(label, command, group, account: account, isMain: isMain, isDestructive: isDestructive)
        }
        func renewal(_ isOn: Bool, isMain: Bool = false) -> ConsoleAct {
            ConsoleAct(
                "Turn renewal \(isOn ? "on" : "off")",
                "auto-renew",
                isOn ? "on" : "off",
                group,
                account: account,
                isMain: isMain
            )
        }
        switch subscription.state {
        case .expired:
            let again = ConsoleAct(
                "Subscribe again",
                "buy",
                subscription.productIdentifier,
                account: account,
                isMain: true
            )
            return canBuy ? [again] : []
        case .inGracePeriod, .inBillingRetryPeriod:
            return [
                act("Let the payment succeed", "resolve-billing", isMain: true),
                act("End it now", "expire", isDestructive: true),
            ]
        case .subscribed: break
        }
        var acts: [ConsoleAct] = []
        if subscription.priceConsent == .pending {
            acts = [("Agree to the price", "agree"), ("Refuse the price", "decline")].map { label, answer in
                ConsoleAct(label, "answer-consent", answer, group, account: account)
            }
        }
        if subscription.isAutoRenewOn {
            acts = [act("Renew now", "renew", isMain: true), renewal(false)] + acts
        } else {
            acts = [renewal(true, isMain: true)] + acts
        }
        if let period { acts.append(ConsoleAct("Refund this period", "refund", period, isDestructive: true)) }
        return acts + [act("End it now", "expire", isDestructive: true)]
    }

    /// Returns the acts on a customer, which turn the settings of the account.
    static func acts(on customer: StoreCustomer) -> [ConsoleAct] {
        let account = customer.account
        func turn(_ isOn: Bool, _ on: String, _ off: String, _ command: String) -> ConsoleAct {
            ConsoleAct(isOn ? off : on, command, isOn ? "off" : "on", account: account)
        }
        var acts = [
            turn(customer.asksToBuy, "Ask a parent to buy", "Buy without asking", "ask-to-buy"),
            turn(customer.interruptsPurchases, "Interrupt purchases", "Do not interrupt", "interrupts-purchases"),
            turn(customer.billingFails, "Let renewals fail", "Let renewals succeed", "billing-fails"),
        ]
        if customer.family != nil {
            acts.append(
                turn(customer.sharesPurchases, "Share with the family", "Share nothing", "shares-purchases")
            )
        }
        return acts
            + customer.devices.map { device in
                ConsoleAct(
                    "\(device.mayPay ? "Disallow" : "Allow") payments on \(device.name)",
                    "payments-allowed",
                    device.mayPay ? "off" : "on",
                    device: device.name
                )
            }
    }
}
