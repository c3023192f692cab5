extension Exhibit {
    /// The exhibits on Store Kit 2.
    static let storeKit2: [Exhibit] = [ignoresRevocation]
}
