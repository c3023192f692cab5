import StoreContract
import StoreCore

extension AppStep: CustomStringConvertible {
    /// The step as Swift source.
    public var description: String {
        switch self {
        case .action(let name): ".action(\(name.debugDescription))"
        case .kill(let count): ".kill(after: \(count))"
        case .relaunch: ".relaunch"
        case .user(let answer): ".user(.\(answer))"
        case .askToBuy(let isOn): ".askToBuy(\(isOn))"
        case .approve(let index): ".approve(\(index))"
        case .decline(let index): ".decline(\(index))"
        case .interrupt(let isOn): ".interrupt(\(isOn))"
        case .settleInterruption(let index): ".settleInterruption(\(index))"
        case .buyElsewhere(let product): ".buyElsewhere(\(product.debugDescription))"
        case .promote(let product): ".promote(\(product.debugDescription))"
        case .useSecondDevice(let isSecond): ".useSecondDevice(\(isSecond))"
        case .signIn(let isOther): ".signIn(other: \(isOther))"
        case .familyBuys(let product): ".familyBuys(\(product.debugDescription))"
        case .familyLeaves: ".familyLeaves"
        case .storefront(let code): ".storefront(\(code.debugDescription))"
        case .advance(let hours): ".advance(hours: \(hours))"
        case .autoRenew(let isOn): ".autoRenew(\(isOn))"
        case .billingFails(let isOn): ".billingFails(\(isOn))"
        case .gracePeriod(let isOn): ".gracePeriod(\(isOn))"
        case .payBill: ".payBill"
        case .expire: ".expire"
        case .askForConsent: ".askForConsent"
        case .consent(let isGiven): ".consent(\(isGiven))"
        case .redeem(let code, let product):
            ".redeem(code: \(code.debugDescription), of: \(product.debugDescription))"
        case .winBack(let offer, let product): ".winBack(\(offer.debugDescription), of: \(product.debugDescription))"
        case .slowDownloads(let isSlow): ".slowDownloads(\(isSlow))"
        case .failDownload(let file): ".failDownload(\(file.debugDescription))"
        case .refund(let index): ".refund(\(index))"
        case .failPurchases(let code): ".failPurchases(\(code.map { $0.source } ?? "nil"))"
        case .sign(let defect): ".sign(\(defect.map { ".\($0)" } ?? "nil"))"
        case .reachable(let isReachable): ".reachable(\(isReachable))"
        case .fault(let fault, let point): ".fault(.\(fault.source), at: .\(point.rawValue))"
        case .release: ".release"
        case .loseConnection: ".loseConnection"
        case .failHistory(let failure): ".failHistory(\(failure.source))"
        case .delayHistory(let seconds): ".delayHistory(seconds: \(seconds))"
        }
    }
}
