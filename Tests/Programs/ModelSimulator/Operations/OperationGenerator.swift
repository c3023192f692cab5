import StoreContract
import StoreCore
import StoreSimulator

/// A generator of operations, the same ones from the same seed.
struct OperationGenerator {
    private var random: SplitMix64
    private var faces: FaceGenerator
    private var plans: PlanGenerator

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        faces = FaceGenerator(seed: seed)
        plans = PlanGenerator(seed: seed)
    }

    mutating func operations(_ count: Int) -> [SimulatedOperation] {
        let operations = (0..<count).map { _ in operation() }
        return faces.translated(plans.replacingSome(of: operations))
    }

    private mutating func operation() -> SimulatedOperation {
        let device = below(3)
        if below(200) == 0 { return deletionOperation() }
        switch below(184) {
        case 0..<22: return .add(device: device, product: product(), quantity: quantity())
        case 22..<42: return .finish(device: device, index: below(4))
        case 42..<47: return .restore(device: device)
        case 47..<52: return .approve(index: below(3))
        case 52..<54: return .cancel(index: below(3))
        case 54..<56: return .decline(index: below(3))
        case 56..<62: return .advance(days: [0, 1, 3, 7, 28, 31, 90][below(7)])
        case 62..<65: return .addObserver(device: device)
        case 65..<67: return .removeObserver(device: device)
        case 67..<70: return .signIn(device: device, account: below(2))
        case 70..<71: return .signOut(device: device)
        case 71..<74: return .setAutoRenew(account: below(2), on: below(2) == 0)
        case 74..<78: return .reachable(device: device, below(3) > 0)
        case 78..<87: return .injectFault(device: device, fault: fault(), point: point())
        case 87..<89: return .release(device: device)
        case 89..<92: return .relaunch(device: device)
        case 92..<100: return .crash(after: 1 + below(16), target: crashTarget(device))
        case 100..<103: return .askToBuy(account: below(2), on: below(3) == 0)
        case 103..<105: return .failPurchases(below(3) == 0)
        case 105..<108: return .interruptPurchases(account: below(2), on: below(3) == 0)
        case 108..<112: return .resolveIssue(index: below(3))
        case 112..<115: return .buy(account: below(2), product: product(), quantity: quantity())
        case 115..<118: return .promote(device: device, product: product(), isTaken: below(2) == 0)
        case 118..<120: return .addKept(device: device)
        case 120..<123: return .setStorefront(SimulatedOperation.Country.allCases[below(3)], continues: below(2) == 0)
        case 123..<127:
            let index = below(12)
            return index % 4 == 3 ? .refundHalf(index: index) : .refund(index: index)
        case 127..<135: return familyOperation()
        case 135..<146: return offerOperation(device)
        case 146..<149: return .refreshReceipt(device: device, kind: SimulatedOperation.ReceiptKind.allCases[below(4)])
        case 149..<156: return downloadOperation(device)
        case 167..<179: return requestOperation(device)
        case 179..<184: return .injectFault(device: device, fault: fault(), point: requestPoint())
        default: return subscriptionOperation()
        }
    }

    private mutating func subscriptionOperation() -> SimulatedOperation {
        let account = below(2)
        switch below(11) {
        case 0, 1: return .failBilling(account: account, on: below(3) > 0)
        case 2: return .grantGracePeriod(below(4) > 0)
        case 3, 4: return .resolveBilling(account: account)
        case 5: return .askForConsent(account: account)
        case 6: return .answerConsent(account: account, agrees: below(2) == 0)
        case 7: return .expire(account: account)
        case 9: return .raisePrice(of: product(), to: [99, 399, 499, 599, 999, 1_049, 1_299][below(7)])
        case 8: return .limitRenewals(to: [nil, nil, nil, 0, 1, 12][below(6)])
        default: return .forceRenewal(account: account)
        }
    }

    private mutating func offerOperation(_ device: Int) -> SimulatedOperation {
        let offers = SimulatedOperation.Offer.allCases
        switch below(11) {
        case 0..<5:
            let signature =
                below(3) > 0
                ? .sound : SimulatedOperation.Signature.allCases[below(SimulatedOperation.Signature.allCases.count)]
            let offer: SimulatedOperation.Offer =
                below(3) == 0 ? offers[below(offers.count)] : [.winter, .dear, .comeback][below(3)]
            return .addOffer(device: device, offer: offer, signature: signature)
        case 5, 6: return .redeem(account: below(2), offer: offers[below(offers.count)])
        case 7, 8:
            let offer = below(4) == 0 ? nil : below(2) == 0 ? .friends : offers[below(offers.count)]
            return .presentCodeSheet(device: device, offer: offer)
        default: return .winBack(account: below(2), offer: below(4) == 0 ? offers[below(offers.count)] : .comeback)
        }
    }

    private mutating func requestOperation(_ device: Int) -> SimulatedOperation {
        switch below(12) {
        case 0..<4: .requestProducts(device: device)
        case 4, 5: .readStorefront(device: device)
        case 6, 7: .orderPromotions(device: device, products: (0..<below(4)).map { _ in product() })
        case 8, 9: .setPromotion(device: device, product: product(), isShown: [nil, true, false][below(3)])
        case 10: .requestToken(device: device)
        default: .readPromotions(device: device)
        }
    }

    private mutating func downloadOperation(_ device: Int) -> SimulatedOperation {
        switch below(7) {
        case 0..<3: return .download(device: device, action: .start, index: below(3))
        case 3: return .failDownload(device: device)
        default:
            let action = SimulatedOperation.DownloadAction.allCases[1 + below(3)]
            return .download(device: device, action: action, index: below(3))
        }
    }

    /// Draws a deletion, seldom of everything: deleted items leave less to test.
    private mutating func deletionOperation() -> SimulatedOperation {
        below(12) == 0 ? .clearTransactions : .deleteTransaction(index: below(12))
    }

    private mutating func familyOperation() -> SimulatedOperation {
        let account = below(2)
        switch below(8) {
        case 0, 1: return .foundFamily(account: account)
        case 2, 3, 4: return .joinFamily(account: account)
        case 5: return .leaveFamily(account: account)
        default: return .sharePurchases(account: account, on: below(4) > 0)
        }
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func product() -> SimulatedOperation.Product {
        SimulatedOperation.Product.drawn[below(SimulatedOperation.Product.drawn.count)]
    }

    private mutating func quantity() -> Int { [1, 1, 1, 1, 1, 1, 2, 11][below(8)] }

    private mutating func fault() -> FaultInjector.Fault {
        switch below(9) {
        case 0: .drop
        case 1: .delay(5)
        case 2: .duplicate
        case 3: .echo(after: 3)
        case 4: .reorder
        case 5: .cut
        case 6: .hold
        case 7: .fail(failure())
        default: .loseAnswer
        }
    }

    private mutating func point() -> FaultInjector.Point {
        let points: [FaultInjector.Point] = [
            .submission, .reply, .connection, .update, .connectionLost, .acknowledgement, .downloadRequest,
            .downloadChunk,
        ]
        return points[below(points.count)]
    }

    /// Draws a point that apps' requests pass.
    private mutating func requestPoint() -> FaultInjector.Point {
        let points: [FaultInjector.Point] = [
            .productsRequest, .productsAnswer, .receiptRequest, .receiptAnswer, .storefrontRead,
        ]
        return points[below(points.count)]
    }

    private mutating func failure() -> StoreFailure { StoreFailure.planned[below(StoreFailure.planned.count)] }

    private mutating func crashTarget(_ device: Int) -> SimulatedOperation.CrashTarget {
        switch below(4) {
        case 0: .store
        case 1: .both
        default: .app(device)
        }
    }
}
