import Foundation

/// What an account has of the one subscription group that there is, by the model's own rules.
struct Club {
    /// What the running period came of.
    enum Origin {
        case begun, renewed, upgraded, downgraded, crossgraded
        /// It began after a gap.
        case resumed
        /// It renewed while none of the account's apps could hear of it.
        case renewedUnheard
    }

    /// The model's entry of the purchase that it began with.
    let first: Int
    private(set) var product = Step.Product.basic
    private(set) var end = Date.distantPast
    /// From when months are counted, and how many end with this period.
    private var anchor = Date.distantPast
    private var months = 0
    private(set) var isOnTrial = false
    private var hasHadTrial = false
    private(set) var renewsAs = Step.Product.basic
    private(set) var willRenew = false
    private(set) var isRunning = false
    private(set) var origin = Origin.begun

    init(first: Int) { self.first = first }

    /// Somebody pays for one of the products.
    ///
    /// - Returns: the charge, in cents.
    mutating func subscribe(to wanted: Step.Product, at now: Date, in country: Step.Country) -> Int {
        // A step up or sideways is taken at once; everything else waits for the end of the month.
        if isRunning, wanted == product || wanted == .basic {
            renewsAs = wanted
            willRenew = true
            return 0
        }
        origin = isRunning ? product == .basic ? .upgraded : .crossgraded : end == .distantPast ? .begun : .resumed
        let isTrial = wanted == .basic && !hasHadTrial
        begin(wanted, at: now, isTrial: isTrial)
        isRunning = true
        willRenew = true
        return isTrial ? 0 : Model.price(of: wanted, in: country)
    }

    /// The period is over.
    ///
    /// - Returns: what the next one costs, in cents; nil if there is none.
    mutating func renew(isHeard: Bool, in country: Step.Country) -> Int? {
        guard willRenew, Model.isSold(renewsAs, in: country) else {
            isRunning = false
            return nil
        }
        origin = renewsAs != product ? .downgraded : isHeard ? .renewed : .renewedUnheard
        if renewsAs != product, renewsAs == .basic, !hasHadTrial {
            begin(renewsAs, at: end, isTrial: true)
            return 0
        }
        if isOnTrial {
            begin(renewsAs, at: end, isTrial: false)
        } else {
            product = renewsAs
            months += 1
            end = Self.month(months, after: anchor)
        }
        return Model.price(of: product, in: country)
    }

    mutating func setWillRenew(_ willRenew: Bool) { self.willRenew = willRenew }

    private mutating func begin(_ product: Step.Product, at moment: Date, isTrial: Bool) {
        self.product = product
        renewsAs = product
        isOnTrial = isTrial
        if isTrial { hasHadTrial = true }
        anchor = moment
        months = 1
        end = isTrial ? moment + 7 * 86_400 : Self.month(1, after: moment)
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func month(_ count: Int, after anchor: Date) -> Date {
        calendar.date(byAdding: .month, value: count, to: anchor) ?? .distantFuture
    }
}
