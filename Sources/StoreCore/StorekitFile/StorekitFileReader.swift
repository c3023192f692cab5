import Foundation

/// A reader that creates a configuration from a decoded `.storekit` file, and refuses invalid values.
struct StorekitFileReader {
    typealias Expectation = StorekitFileExpectation
    typealias Place = StorekitFilePlace

    let file: String
    private let warnings = Warnings()

    /// The problems found so far that do not prevent the file's use.
    private final class Warnings {
        var list: [StoreConfiguration.Warning] = []
    }

    init(file: String) { self.file = file }

    func read(
        _ file: StorekitFile,
        keyWarnings: StoreConfiguration.LateWarnings
    ) throws(StoreConfigurationError) -> StoreConfiguration {
        let version = StoreConfiguration.Version(
            major: try whole(file.version.major, or: 0, from: 0, at: "version.major"),
            minor: try whole(file.version.minor, or: 0, from: 0, at: "version.minor")
        )
        let newest = StoreConfiguration.newestMajorVersion
        if version.major > newest {
            warn("version.major", "format \(version.major) is not known yet, and read as \(newest)")
        }
        var shelf = Shelf(file: file)
        for (index, product) in (file.products ?? []).enumerated() {
            let place = Place.product(index)
            try add(try self.product(product, at: place), at: place, to: &shelf)
        }
        for (index, product) in (file.nonRenewingSubscriptions ?? []).enumerated() {
            let place = Place.nonRenewing(index)
            try add(try self.product(product, or: .nonRenewing, at: place), at: place, to: &shelf)
        }
        var groups: [StoreConfiguration.SubscriptionGroup] = []
        // Bundles come last, since their members are subscriptions of the file.
        try add(file.subscriptionGroups, .subscriptions, to: &groups, &shelf)
        try add(file.subscriptionSuiteGroups, .suites, to: &groups, &shelf)
        try add(file.subscriptionBundleGroups, .bundles, to: &groups, &shelf)
        if let twins = Repetition.first(in: groups.lazy.map(\.identifier)) {
            // Within one list, a repeated identifier was found already.
            let found = "\(Expectation.quoted(groups[twins.index].identifier)), which another group has too"
            throw problem("the groups of suites and bundles", "an identifier of its own for each", found)
        }
        warnOfRepeatedOffers(in: file)
        return StoreConfiguration(
            identifier: file.identifier,
            version: version,
            products: shelf.products,
            subscriptionGroups: groups,
            settings: try settings(file.settings),
            subscriptionOffersKeyPair: try keyPair(file.subscriptionOffersKeyPair),
            warnings: warnings.list,
            keyWarnings: keyWarnings
        )
    }

    private func add(
        _ read: [StorekitFile.Group]?,
        _ list: Place.GroupList,
        to groups: inout [StoreConfiguration.SubscriptionGroup],
        _ shelf: inout Shelf
    ) throws(StoreConfigurationError) {
        try checkGroups(read ?? [], in: list.rawValue)
        for (number, group) in (read ?? []).enumerated() {
            let subscriptions = group.subscriptions ?? []
            let description = StoreConfiguration.SubscriptionGroup(
                identifier: group.id,
                name: group.name ?? "",
                localizations: localizations(group.localizations, at: "\(list.rawValue)[\(number)]"),
                productIdentifiers: subscriptions.map(\.productID)
            )
            groups.append(description)
            for (index, subscription) in subscriptions.enumerated() {
                let place = Place.subscription(index, ofGroup: number, in: list)
                var product = try self.subscription(subscription, list, in: description, at: place)
                if list == .bundles, !knowsMembers(of: &product, from: subscription, shelf, at: place) { continue }
                try add(product, at: place, to: &shelf)
            }
        }
    }

    /// Limits a bundle to the members that the file has; returns false, with a warning, if none is left.
    private func knowsMembers(
        of bundle: inout SandboxProduct,
        from read: StorekitFile.Subscription,
        _ shelf: Shelf,
        at place: Place
    ) -> Bool {
        var members: [String] = []
        for (index, member) in (read.members ?? []).enumerated() {
            let known = member.identifier.flatMap { name in
                shelf.products.first {
                    $0.kind == .autoRenewable && ($0.identifier == name || $0.internalIdentifier == name)
                }
            }
            if let known, !members.contains(known.identifier) {
                members.append(known.identifier)
            } else {
                let name = member.identifier.map(Expectation.quoted) ?? "the member"
                let fault = known == nil ? "is no auto-renewable subscription of this file" : "is a member already"
                warn(place.path("members[\(index)]"), "\(name) \(fault), and is left out")
            }
        }
        bundle.subscription?.members = members
        if members.isEmpty {
            warn("\(place)", "\(Expectation.quoted(bundle.identifier)) is not sold: it has no members of this file")
        }
        return !members.isEmpty
    }

    func warn(_ path: String, _ reason: String) {
        warnings.list.append(StoreConfiguration.Warning(file: file, path: path, reason: reason))
    }

    /// Adds a warning with the wording of an error, followed by the consequence.
    func warn(_ error: StoreConfigurationError, _ consequence: String) {
        warn(error.path, "expected \(error.expected), found \(error.found); \(consequence)")
    }

    func problem(_ path: String, _ expected: String, _ found: String) -> StoreConfigurationError {
        StoreConfigurationError(file: file, path: path, expected: expected, found: found)
    }
}

extension StorekitFileReader {
    func price(
        _ text: String,
        at place: Place,
        _ key: String = "displayPrice"
    ) throws(StoreConfigurationError) -> Decimal {
        do {
            return try ExactPrice.read(text)
        } catch {
            let expected =
                switch error {
                case .malformed: Expectation.price
                case .negative: "a price of at least 0"
                case .tooLong: "a price of at most \(ExactPrice.maximumDigits) digits"
                }
            throw problem(place.path(key), expected, Expectation.quoted(text))
        }
    }

    /// Reads the price of a product; 0 if it is empty, as Xcode may write it.
    func productPrice(_ text: String, at place: Place) throws(StoreConfigurationError) -> Decimal {
        guard text.isEmpty else { return try price(text, at: place) }
        warn(problem(place.path("displayPrice"), Expectation.price, "\"\""), "it sells at 0")
        return 0
    }

    /// Reads a period: `P`, a number of at most four digits, and `D`, `W`, `M` or `Y`.
    func period(_ text: String, at place: Place, _ key: String) throws(StoreConfigurationError) -> StoreProduct.Period {
        guard let period = StoreProduct.Period(iso8601: text) else {
            throw problem(place.path(key), Expectation.duration, Expectation.quoted(text))
        }
        return period
    }

    func whole(
        _ number: Double?,
        or usual: Int,
        from least: Int,
        at path: @autoclosure () -> String
    ) throws(StoreConfigurationError) -> Int {
        guard let number else { return usual }
        if let whole = Int(exactly: number), whole >= least { return whole }
        let found = Int(exactly: number).map(String.init) ?? "\(number)"
        throw problem(path(), least > .min ? "a whole number from \(least)" : "a whole number", found)
    }
}

extension StoreConfiguration {
    /// Creates a configuration from a `.storekit` file on disk.
    ///
    /// - Parameter url: the file's location on disk. Reading blocks the calling thread.
    /// - Throws: a ``StoreConfigurationError`` if the file cannot be read or is invalid.
    public init(contentsOf url: URL) throws(StoreConfigurationError) {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw StoreConfigurationError(
                file: url.path,
                path: "",
                expected: "a file that can be read",
                found: Self.isFolder(url) ? "a folder" : Self.trouble(error)
            )
        }
        try self.init(data: data, name: url.path)
    }

    /// Creates a configuration from the content of a `.storekit` file.
    ///
    /// - Parameters:
    ///   - data: the whole content.
    ///   - name: the file's name, for error messages.
    /// - Throws: a ``StoreConfigurationError`` if the content is invalid.
    public init(data: Data, name: String) throws(StoreConfigurationError) {
        let file: StorekitFile
        do {
            file = try UntrustedJSON.decode(StorekitFile.self, from: data)
        } catch {
            throw StorekitFileDiagnosis(file: name, data: data).explain(error)
        }
        self = try StorekitFileReader(file: name).read(
            file,
            keyWarnings: LateWarnings { StorekitFileKeys.unknown(in: data, of: name) }
        )
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Returns the reason why the system could not read a file, in a few words.
    private static func trouble(_ error: any Error) -> String {
        let error = error as NSError
        if error.code == CocoaError.Code.fileReadNoSuchFile.rawValue { return "no such file" }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.localizedDescription
    }
}
