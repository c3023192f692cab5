import StoreContract
import StoreSimulator

extension SimulatedOperation: CustomStringConvertible {
    /// The operation as Swift source.
    package var description: String {
        switch self {
        case .add(let device, let product, let quantity):
            ".add(device: \(device), product: .\(product), quantity: \(quantity))"
        case .finish(let device, let index): ".finish(device: \(device), index: \(index))"
        case .purchase(let device, let product, let quantity):
            ".purchase(device: \(device), product: .\(product), quantity: \(quantity))"
        case .finishUnfinished(let device, let index): ".finishUnfinished(device: \(device), index: \(index))"
        case .listenForUpdates(let device, let finishes):
            ".listenForUpdates(device: \(device), finishes: \(finishes))"
        case .pauseUpdates(let device, let isOn): ".pauseUpdates(device: \(device), \(isOn))"
        case .cancelTask(let device, let index): ".cancelTask(device: \(device), index: \(index))"
        case .restore(let device): ".restore(device: \(device))"
        case .approve(let index): ".approve(index: \(index))"
        case .cancel(let index): ".cancel(index: \(index))"
        case .decline(let index): ".decline(index: \(index))"
        case .advance(let days): ".advance(days: \(days))"
        case .addObserver(let device): ".addObserver(device: \(device))"
        case .removeObserver(let device): ".removeObserver(device: \(device))"
        case .signIn(let device, let account): ".signIn(device: \(device), account: \(account))"
        case .signOut(let device): ".signOut(device: \(device))"
        case .setAutoRenew(let account, let isOn): ".setAutoRenew(account: \(account), on: \(isOn))"
        case .askToBuy(let account, let isOn): ".askToBuy(account: \(account), on: \(isOn))"
        case .interruptPurchases(let account, let isOn): ".interruptPurchases(account: \(account), on: \(isOn))"
        case .resolveIssue(let index): ".resolveIssue(index: \(index))"
        case .buy(let account, let product, let quantity):
            ".buy(account: \(account), product: .\(product), quantity: \(quantity))"
        case .promote(let device, let product, let isTaken):
            ".promote(device: \(device), product: .\(product), isTaken: \(isTaken))"
        case .addKept(let device): ".addKept(device: \(device))"
        case .setStorefront(let country, let continues): ".setStorefront(.\(country), continues: \(continues))"
        case .failPurchases(let isOn): ".failPurchases(\(isOn))"
        case .failBilling(let account, let isOn): ".failBilling(account: \(account), on: \(isOn))"
        case .grantGracePeriod(let isOn): ".grantGracePeriod(\(isOn))"
        case .resolveBilling(let account): ".resolveBilling(account: \(account))"
        case .askForConsent(let account): ".askForConsent(account: \(account))"
        case .answerConsent(let account, let agrees): ".answerConsent(account: \(account), agrees: \(agrees))"
        case .expire(let account): ".expire(account: \(account))"
        case .forceRenewal(let account): ".forceRenewal(account: \(account))"
        case .raisePrice(let product, let cents): ".raisePrice(of: .\(product), to: \(cents))"
        case .limitRenewals(let limit): ".limitRenewals(to: \(limit.map { "\($0)" } ?? "nil"))"
        case .refund(let index): ".refund(index: \(index))"
        case .deleteTransaction(let index): ".deleteTransaction(index: \(index))"
        case .clearTransactions: ".clearTransactions"
        case .addOffer(let device, let offer, let signature):
            ".addOffer(device: \(device), offer: .\(offer), signature: .\(signature))"
        case .redeem(let account, let offer): ".redeem(account: \(account), offer: .\(offer))"
        case .presentCodeSheet(let device, let offer):
            ".presentCodeSheet(device: \(device), offer: \(offer.map { ".\($0)" } ?? "nil"))"
        case .winBack(let account, let offer): ".winBack(account: \(account), offer: .\(offer))"
        case .refreshReceipt(let device, let kind): ".refreshReceipt(device: \(device), kind: .\(kind))"
        case .requestProducts(let device): ".requestProducts(device: \(device))"
        case .readStorefront(let device): ".readStorefront(device: \(device))"
        case .orderPromotions(let device, let products):
            ".orderPromotions(device: \(device), products: [\(products.map { ".\($0)" }.joined(separator: ", "))])"
        case .setPromotion(let device, let product, let isShown):
            ".setPromotion(device: \(device), product: .\(product), isShown: \(isShown.map { "\($0)" } ?? "nil"))"
        case .readPromotions(let device): ".readPromotions(device: \(device))"
        case .download(let device, let action, let index):
            ".download(device: \(device), action: .\(action), index: \(index))"
        case .failDownload(let device): ".failDownload(device: \(device))"
        case .foundFamily(let account): ".foundFamily(account: \(account))"
        case .joinFamily(let account): ".joinFamily(account: \(account))"
        case .leaveFamily(let account): ".leaveFamily(account: \(account))"
        case .sharePurchases(let account, let isOn): ".sharePurchases(account: \(account), on: \(isOn))"
        case .reachable(let device, let isReachable): ".reachable(device: \(device), \(isReachable))"
        case .injectFault(let device, let fault, let point):
            ".injectFault(device: \(device), fault: .\(fault.source), point: .\(point.rawValue))"
        case .release(let device): ".release(device: \(device))"
        case .relaunch(let device): ".relaunch(device: \(device))"
        case .crash(let count, .app(let device)): ".crash(after: \(count), target: .app(\(device)))"
        case .crash(let count, .store): ".crash(after: \(count), target: .store)"
        case .crash(let count, .both): ".crash(after: \(count), target: .both)"
        }
    }
}
