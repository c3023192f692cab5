import StoreSimulator

extension SimulatedOperation: CustomStringConvertible {
    /// The operation as Swift source.
    package var description: String { enumCase.source }
}

extension SimulatedOperation {
    /// A device or an account, by its index.
    enum Subject {
        case device(Int)
        case account(Int)
    }

    /// The name of the operation's case.
    var name: String { enumCase.name }

    /// The device that the operation concerns, or else the account; nil if it names neither.
    var subject: Subject? {
        switch self {
        case .add(let device, _, _), .finish(let device, _), .purchase(let device, _, _),
            .finishUnfinished(let device, _), .listenForUpdates(let device, _), .pauseUpdates(let device, _),
            .cancelTask(let device, _), .restore(let device), .addObserver(let device), .removeObserver(let device),
            .signIn(let device, _), .signOut(let device), .promote(let device, _, _), .addKept(let device),
            .addOffer(let device, _, _), .presentCodeSheet(let device, _), .refreshReceipt(let device, _),
            .requestProducts(let device), .readStorefront(let device), .orderPromotions(let device, _),
            .setPromotion(let device, _, _), .readPromotions(let device), .requestToken(let device),
            .download(let device, _, _), .failDownload(let device), .reachable(let device, _),
            .injectFault(let device, _, _),
            .release(let device), .relaunch(let device):
            .device(device % Self.deviceNames.count)
        case .setAutoRenew(let account, _), .askToBuy(let account, _), .interruptPurchases(let account, _),
            .buy(let account, _, _), .failBilling(let account, _), .resolveBilling(let account),
            .askForConsent(let account), .answerConsent(let account, _), .expire(let account),
            .forceRenewal(let account), .commit(let account), .change(let account, _, _),
            .charge(let account, _, _), .request(let account, _, _), .redeem(let account, _),
            .winBack(let account, _), .foundFamily(let account),
            .joinFamily(let account), .leaveFamily(let account), .sharePurchases(let account, _):
            .account(account % Self.accountNames.count)
        case .approve, .cancel, .decline, .advance, .resolveIssue, .setStorefront, .failPurchases, .grantGracePeriod,
            .raisePrice, .limitRenewals, .refund, .refundHalf, .refundItem, .deleteTransaction, .clearTransactions,
            .crash:
            nil
        }
    }

    private var enumCase: EnumCase {
        // The only case without associated values.
        EnumCase(of: self, name: self == .clearTransactions ? "clearTransactions" : nil)
    }
}
