import StoreContract

extension AppStep {
    /// A step without what it names, as a table of steps has it.
    enum Row: Int, CaseIterable, Sendable {
        case action, kill, relaunch, user, askToBuy, approve, decline, interrupt, settleInterruption, buyElsewhere,
            promote, useSecondDevice, signIn, familyBuys, familyLeaves, storefront, advance, autoRenew, expire,
            billingFails,
            gracePeriod, payBill, askForConsent, consent, redeem, winBack, slowDownloads, failDownload, refund,
            failPurchases, sign, reachable, fault, release, loseConnection, connectionFault, acknowledgementFault,
            storefrontFault, failHistory, delayHistory

        /// The kind of such steps.
        var kind: Kind {
            switch self {
            case .action: .action
            case .kill: .kill
            case .relaunch: .relaunch
            case .user: .user
            case .askToBuy, .approve, .decline: .askToBuy
            case .interrupt, .settleInterruption: .interruption
            case .buyElsewhere: .elsewhere
            case .promote: .promotion
            case .useSecondDevice: .secondDevice
            case .signIn: .signIn
            case .familyBuys, .familyLeaves: .family
            case .storefront: .storefront
            case .advance: .time
            case .autoRenew, .expire: .renewal
            case .billingFails, .gracePeriod, .payBill: .billing
            case .askForConsent, .consent: .consent
            case .redeem, .winBack: .offer
            case .slowDownloads, .failDownload: .download
            case .refund: .refund
            case .failPurchases: .failure
            case .sign: .signature
            case .reachable, .fault, .release: .wire
            case .loseConnection, .connectionFault: .connection
            case .acknowledgementFault: .acknowledgement
            case .storefrontFault, .failHistory, .delayHistory: .reading
            }
        }
    }

    var row: Row {
        switch self {
        case .action: .action
        case .kill: .kill
        case .relaunch: .relaunch
        case .user: .user
        case .askToBuy: .askToBuy
        case .approve: .approve
        case .decline: .decline
        case .interrupt: .interrupt
        case .settleInterruption: .settleInterruption
        case .buyElsewhere: .buyElsewhere
        case .promote: .promote
        case .useSecondDevice: .useSecondDevice
        case .signIn: .signIn
        case .familyBuys: .familyBuys
        case .familyLeaves: .familyLeaves
        case .storefront: .storefront
        case .advance: .advance
        case .autoRenew: .autoRenew
        case .expire: .expire
        case .billingFails: .billingFails
        case .gracePeriod: .gracePeriod
        case .payBill: .payBill
        case .askForConsent: .askForConsent
        case .consent: .consent
        case .redeem: .redeem
        case .winBack: .winBack
        case .slowDownloads: .slowDownloads
        case .failDownload: .failDownload
        case .refund: .refund
        case .failPurchases: .failPurchases
        case .sign: .sign
        case .reachable: .reachable
        case .fault(_, at: .connection), .fault(_, at: .connectionLost): .connectionFault
        case .fault(_, at: .acknowledgement): .acknowledgementFault
        case .fault(_, at: .storefrontRead): .storefrontFault
        case .fault: .fault
        case .release: .release
        case .loseConnection: .loseConnection
        case .failHistory: .failHistory
        case .delayHistory: .delayHistory
        }
    }
}
