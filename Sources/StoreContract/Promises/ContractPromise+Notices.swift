extension ContractPromise {
    /// The promises of updates other than transactions.
    static var ofNotices: [ContractPromise] { [noticesTold, noticesShown, noticesEnd, storefrontTold] }

    /// A notice is told.
    ///
    /// A notice is a revocation or a purchase that the user began in the store, as in `StoreUpdate.revoked` and
    /// `StoreUpdate.promoted`.
    public static let noticesTold = ContractPromise(
        "revocations and promoted purchases are told",
        "A receiver that is connected hears of each, and so does one that connects with a cursor before it."
    )
    /// A notice is in every snapshot until it is acknowledged.
    public static let noticesShown = ContractPromise(
        "what was not acknowledged is told again",
        """
        Every snapshot has the revocations and the promoted purchases that no acknowledgement has passed yet, also \
        after the store was opened again.
        """
    )
    /// An acknowledged notice is over.
    public static let noticesEnd = ContractPromise(
        "what was acknowledged is over",
        """
        A snapshot has no revocation and no promoted purchase up to the cursor that was acknowledged last; the \
        acknowledgement includes all before it.
        """
    )
    /// A change of the storefront is told.
    public static let storefrontTold = ContractPromise(
        "a change of the storefront is told",
        "A receiver that is connected hears of the new country, which the storefront's service names from then on."
    )
}
