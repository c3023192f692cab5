import Foundation

/// The known keys of a `.storekit` file: those that are read, and those that have no effect here.
///
/// Used when a file's warnings are read, never while a file is loaded.
indirect enum StorekitFileKeys: Sendable {
    /// A value with any content.
    case anything
    case list(StorekitFileKeys)
    case object([String: StorekitFileKeys])

    /// Returns a warning for each unknown key of a file, with its place.
    static func unknown(in data: Data, of file: String) -> [StoreConfiguration.Warning] {
        guard let content = try? UntrustedJSON.object(from: data) else { return [] }
        var warnings: [StoreConfiguration.Warning] = []
        Self.file.look(at: content, "") { path, advice in
            let reason = "unknown key, ignored\(advice.map { "; did you mean \($0)?" } ?? "")"
            warnings.append(StoreConfiguration.Warning(file: file, path: path, reason: reason))
        }
        return warnings
    }

    private func look(at value: Any, _ path: String, _ found: (_ path: String, _ advice: String?) -> Void) {
        switch self {
        case .anything: break
        case .list(let element):
            for (index, value) in ((value as? [Any]) ?? []).enumerated() {
                element.look(at: value, "\(path)[\(index)]", found)
            }
        case .object(let known):
            guard let object = value as? [String: Any] else { return }
            for (key, value) in object.sorted(by: { $0.key < $1.key }) {
                let place = path.isEmpty ? key : "\(path).\(key)"
                if let keys = known[key] {
                    keys.look(at: value, place, found)
                } else {
                    // Keys that the object already has are not suggested: they cannot be the one that was meant.
                    found(place, Self.nearest(to: key, in: known.keys.filter { object[$0] == nil }))
                }
            }
        }
    }

    /// Returns the known key that an unknown one probably misspells; nil if there is none.
    private static func nearest(to key: String, in known: [String]) -> String? {
        let alike = known.filter { abs($0.utf8.count - key.utf8.count) <= 2 }
        let slips = alike.map { (key: $0, count: distance(key.lowercased(), $0.lowercased())) }
        let nearest = slips.min { ($0.count, $0.key) < ($1.count, $1.key) }
        return nearest.flatMap { $0.count <= min(2, key.count / 4) ? $0.key : nil }
    }

    /// Returns the number of insertions, removals and replacements of letters between two texts (Levenshtein distance).
    private static func distance(_ left: String, _ right: String) -> Int {
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var corner = row[0]
            row[0] = line + 1
            for (column, other) in right.enumerated() {
                let replaced = corner + (letter == other ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, corner + 1)
            }
        }
        return row[right.count]
    }
}

extension StorekitFileKeys {
    private static func keys(_ names: String..., and more: [String: StorekitFileKeys] = [:]) -> [String:
        StorekitFileKeys]
    {
        more.merging(names.map { ($0, .anything) }) { more, _ in more }
    }

    private static let localizations = list(.object(keys("locale", "displayName", "description")))

    private static let offers = list(
        .object(
            keys(
                "internalID",
                "paymentMode",
                "subscriptionPeriod",
                "numberOfPeriods",
                "displayPrice",
                "offerID",
                "referenceName",
                "eligibility",
                "isStackable",
                "isEligible",
                "billingPlanType"
            )
        )
    )

    private static let product = keys(
        "productID",
        "type",
        "referenceName",
        "displayPrice",
        "familyShareable",
        "internalID",
        "promotionalImageID",
        and: ["localizations": localizations, "codeOffers": offers]
    )

    /// The keys of subscriptions, and of suites and bundles of them.
    private static let renewing: [String: StorekitFileKeys] = {
        guard case .list(let offer) = offers else { return [:] }
        let plan = object(keys("billingPlanType", "displayPrice", "commitmentDisplayPrice", "internalID", "isEnabled"))
        return keys(
            "subscriptionGroupID",
            "groupNumber",
            and: [
                "introductoryOffer": offer, "introductoryOffers": offers, "adHocOffers": offers,
                "winbackOffers": offers, "billingPlans": .list(plan),
            ]
        )
    }()

    private static func groups(of products: [String: StorekitFileKeys]) -> StorekitFileKeys {
        let subscriptions = list(.object(products))
        return .list(
            .object(keys("id", "name", and: ["localizations": localizations, "subscriptions": subscriptions]))
        )
    }

    private static let settings = keys(
        "_locale",
        "_storefront",
        "_timeRate",
        "_compatibilityTimeRate",
        "_askToBuyEnabled",
        "_billingIssuesEnabled",
        "_renewalBillingIssuesEnabled",
        "_billingGracePeriodEnabled",
        "_disableDialogs",
        "_failTransactionsEnabled",
        "_storeKitError",
        "_applicationInternalID",
        "_developerTeamID",
        "_lastSynchronizedDate",
        and: [
            "_storeKitErrors": .list(
                .object(keys("name", "enabled", and: ["current": .object(keys("type", "index"))]))
            )
        ]
    )

    private static let file: StorekitFileKeys = {
        let subscriptions = product.merging(renewing) { $1 }.merging(keys("recurringSubscriptionPeriod")) { $1 }
        var combined = product.merging(renewing) { $1 }.merging(keys("duration", "isFamilyShareable", "members")) { $1 }
        combined["familyShareable"] = nil
        return .object(
            keys(
                "identifier",
                "appPolicies",
                and: [
                    "version": .object(keys("major", "minor")), "settings": .object(settings),
                    "products": .list(.object(product)), "nonRenewingSubscriptions": .list(.object(product)),
                    "subscriptionGroups": groups(of: subscriptions),
                    "subscriptionSuiteGroups": groups(of: combined), "subscriptionBundleGroups": groups(of: combined),
                    "subscriptionOffersKeyPair": .object(keys("id", "privateKey", "publicKey")),
                ]
            )
        )
    }()
}
