/// A promise of a store, identified by a name that does not change.
///
/// The promises are those of `StoreBackend` and of the services that it offers; the suite has no others.
public struct ContractPromise: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The promise's short name.
    public let name: String
    /// The promise, in a sentence or two.
    public let sentence: String

    init(_ name: String, _ sentence: String) {
        self.name = name
        self.sentence = sentence
    }

    /// The name.
    public var description: String { name }

    /// Every promise, in the order of reports.
    public static var allCases: [ContractPromise] {
        ofTheStore + ofCommands + ofOutcomes + ofUpdates + ofNotices + ofFinishing + ofRestoring + ofRequests
            + ofHistory
    }
}

// MARK: - The store itself

extension ContractPromise {
    private static var ofTheStore: [ContractPromise] { [opens, clockStays, goesQuiet] }

    /// The promise that a new store can be opened, and one with data can be reopened.
    package static let opens = ContractPromise(
        "a store opens",
        "A new store can be opened, and so can one that has data already."
    )
    /// The promise that a store always has the same clock and the same lane.
    package static let clockStays = ContractPromise(
        "the clock stays the same",
        "A store always has the same clock and the same lane."
    )
    /// The promise that a store reports the end of all work whose beginning it has reported, exactly once.
    package static let goesQuiet = ContractPromise(
        "a store goes quiet",
        "Whatever a store reports to its clock's activity as under way, it reports as ended, once."
    )
}

// MARK: - Commands

extension ContractPromise {
    private static var ofCommands: [ContractPromise] {
        [
            submissionsAnswered, takenOnce, repetitionsTaken, journalsApart, commandsInOrder, nothingForgotten,
            refusalsHoldNothingUp,
        ]
    }

    /// The promise that every submission has a reply before the deadline.
    package static let submissionsAnswered = ContractPromise(
        "every submission is answered",
        "A submission has its reply before the deadline, and commands that are sent again after passing trouble are taken."
    )
    /// The promise that a command that is submitted twice takes effect once.
    package static let takenOnce = ContractPromise(
        "a command is taken once",
        """
        A command that is submitted again, alone or among new ones, at once, days or many journals later, or after the \
        store was opened again, is not done again.
        """
    )
    /// The promise that a repeated command receives the same reply as the first time: it is taken.
    package static let repetitionsTaken = ContractPromise(
        "a repetition is acknowledged",
        "A command that is submitted again is answered as it was the first time: it is taken."
    )
    /// The promise that commands with the same number in different journals are different commands.
    package static let journalsApart = ContractPromise(
        "each journal counts by itself",
        "Commands of two journals that have the same number are two commands, and numbers may be left out."
    )
    /// The promise that the commands of a submission take effect in the order of their numbers.
    package static let commandsInOrder = ContractPromise(
        "commands take effect in order",
        "The commands of one submission take effect in the order of their numbers."
    )
    /// The promise that every connected receiver is notified of the result of each command that was taken.
    package static let nothingForgotten = ContractPromise(
        "nothing that was taken is forgotten",
        "Whatever becomes of a command that was taken is told to every receiver that is connected."
    )
}

extension ContractPromise {
    /// The promise that a refused command does not prevent the commands submitted with it from being taken.
    package static let refusalsHoldNothingUp = ContractPromise(
        "what is refused holds nothing up",
        """
        A payment that is longer than a store takes is taken and fails, or is refused for good; the commands that were \
        submitted with it are taken.
        """
    )
}

// MARK: - Results of an order

extension ContractPromise {
    private static var ofOutcomes: [ContractPromise] {
        [
            ordersEnd, oneResult, whatSellsIsSold, refusalsAreUpdates, reasonsDiscreet, offersRefused, waitingStays,
            statesInOrder, paymentReturned, identifiersStay, valuesCodable,
        ]
    }

    /// The promise that an order without a pending decision is purchased or fails before the deadline.
    package static let ordersEnd = ContractPromise(
        "every order ends",
        "An order that nobody has to decide about ends as purchased or as failed before the deadline."
    )
    /// The promise that an order is either purchased or fails, never both.
    package static let oneResult = ContractPromise(
        "an order has one result",
        "An order ends as purchased or as failed, never as both, whoever asks and however often."
    )
    /// The promise that an order for a product on sale is purchased.
    package static let whatSellsIsSold = ContractPromise(
        "what sells is sold",
        "An order for something that sells ends as purchased."
    )
    /// The promise that a refused order is taken, and ends as a failed transaction.
    package static let refusalsAreUpdates = ContractPromise(
        "a refusal comes as an update",
        """
        An order that is refused is taken, and ends as a failed transaction that carries the order's number and a \
        failure with a sentence.
        """
    )
    /// The promise that a failure's text does not contain the app's name for its user.
    package static let reasonsDiscreet = ContractPromise(
        "a reason names no user",
        "The sentence of a failure does not have what the app calls its user: it is written for a log."
    )
    /// The promise that an order under an unknown offer is refused.
    package static let offersRefused = ContractPromise(
        "an unknown offer is refused",
        "An order under an offer that the store does not have is refused, and not sold under other terms."
    )
    /// The promise that an order that waits for a decision is purchasing or deferred until then.
    package static let waitingStays = ContractPromise(
        "what waits stays undecided",
        "An order that somebody has to decide about is shown as purchasing or deferred until then."
    )
    /// The promise that a decided transaction keeps its state, and a deferred one does not become purchasing.
    package static let statesInOrder = ContractPromise(
        "states come in a legal order",
        "Purchasing may become anything, deferred anything decided, and what is decided stays."
    )
    /// The promise that an order's transaction has the order's number and its unchanged payment.
    package static let paymentReturned = ContractPromise(
        "a payment comes back as it was ordered",
        "The transaction of an order carries the order's number and exactly its payment."
    )
    /// The promise that a transaction's identifier is not empty, never changes and is not used again.
    package static let identifiersStay = ContractPromise(
        "an identifier belongs to one transaction",
        "A transaction's identifier is not empty, never changes and is never used for another."
    )
    /// The promise that all values that a store sends are unchanged by encoding as JSON and decoding.
    package static let valuesCodable = ContractPromise(
        "what is sent can be written and read",
        "Whatever a store sends is the same after it was encoded as JSON and decoded."
    )
}

// MARK: - Updates

extension ContractPromise {
    private static var ofUpdates: [ContractPromise] {
        [
            snapshotFirst, chain, oneAtATime, unfinishedShown, oldestFirst, cursorResumes, beginsAgain,
            disconnectStops, disconnectsAlone, callsFromWithin, receiversReleased, acknowledgingForgetsNothing,
        ]
    }

    /// The promise that a connection without a cursor begins with a snapshot, even an empty one.
    package static let snapshotFirst = ContractPromise(
        "a connection without a cursor begins with a snapshot",
        """
        Its first batch follows nothing, its parts are counted from 1 at one position, and the last has no part; \
        it comes even if nothing is unfinished.
        """
    )
    /// The promise that each batch begins at the cursor at which the previous one ended.
    package static let chain = ContractPromise(
        "batches form a chain",
        "Each batch begins where the one before it ended, and positions grow with every change; repetitions hold nothing new."
    )
    /// The promise that one thread at a time calls the receiver of a connection.
    package static let oneAtATime = ContractPromise(
        "batches come one at a time",
        "A receiver is called by one thread at a time for each connection."
    )
    /// The promise that a snapshot contains all unfinished transactions in their latest states.
    package static let unfinishedShown = ContractPromise(
        "a snapshot shows all that is unfinished",
        """
        Failed and undecided transactions too, each in its latest state, from the moment in which the order is taken, \
        also after the store was opened again.
        """
    )
    /// The promise that a snapshot begins with the oldest transaction.
    package static let oldestFirst = ContractPromise(
        "a snapshot is in the order of age",
        "The oldest transaction comes first."
    )
    /// The promise that a connection with a cursor receives the changes after the cursor, or a snapshot.
    package static let cursorResumes = ContractPromise(
        "a cursor is followed by what came after it",
        """
        A connection with a cursor gets all that changed after it and only that; or, if the store does not know that \
        place any more, a snapshot.
        """
    )
    /// The promise that a receiver that connects again gets its updates from the new cursor.
    package static let beginsAgain = ContractPromise(
        "connecting again begins again",
        "A receiver that is connected and is connected once more gets its updates from the cursor it gave last."
    )
    /// The promise that a disconnected receiver is no longer called once the store has settled.
    package static let disconnectStops = ContractPromise(
        "a disconnected receiver hears nothing",
        "Once the store has gone quiet after a disconnection, the receiver gets no more updates."
    )
    /// The promise that the disconnection of a receiver does not affect other receivers.
    package static let disconnectsAlone = ContractPromise(
        "disconnecting concerns one receiver",
        "Disconnecting a receiver, connected or not, changes nothing for the others."
    )
    /// The promise that a receiver may call the store while the store calls the receiver.
    package static let callsFromWithin = ContractPromise(
        "a receiver may call while it is called",
        """
        While a receiver takes in a batch, its thread may acknowledge and disconnect, and submit where the store's \
        lane is the caller's: no lock is held.
        """
    )
    /// The promise that a store retains neither disconnected receivers nor listeners to its history.
    package static let receiversReleased = ContractPromise(
        "what is disconnected is released",
        "The store keeps neither a receiver that was disconnected, nor a listener to its history."
    )
    /// The promise that an acknowledged transaction is sent again until it is finished.
    package static let acknowledgingForgetsNothing = ContractPromise(
        "acknowledging forgets no transaction",
        "An update that is acknowledged need not be told again unless it is a transaction, which goes only when it is finished."
    )
}

// MARK: - Finishing

extension ContractPromise {
    private static var ofFinishing: [ContractPromise] { [finishedGone, finishTold, finishAcknowledged] }

    /// The promise that no snapshot contains a transaction whose finish has been acknowledged.
    package static let finishedGone = ContractPromise(
        "what is finished does not come back",
        """
        From the moment in which a finish is acknowledged, no snapshot that is begun shows the transaction, and no \
        change does.
        """
    )
    /// The promise that the finish of a transaction is sent to the receivers of other journals.
    package static let finishTold = ContractPromise(
        "a finish is told to other queues",
        "A receiver under another journal hears that a transaction is finished, with the order that led to it."
    )
    /// The promise that the finish of an unknown or finished transaction is acknowledged, without effect.
    package static let finishAcknowledged = ContractPromise(
        "finishing what is unknown is acknowledged",
        "So is finishing what is finished already; nothing comes of it."
    )
}

// MARK: - Restoring

extension ContractPromise {
    private static var ofRestoring: [ContractPromise] {
        [restoreEnds, restoredBeforeEnd, restoreComplete, consumablesStay]
    }

    /// The promise that a restore ends exactly once, even if there is nothing to restore.
    package static let restoreEnds = ContractPromise(
        "a restore ends once",
        "A restore is followed by exactly one end that carries its number, also if there was nothing to restore."
    )
    /// The promise that all transactions of a restore are sent before its end.
    package static let restoredBeforeEnd = ContractPromise(
        "what is restored comes before the end",
        "All that a restore brings has been sent before its end."
    )
    /// The promise that a restore returns each finished purchase that can be restored and was not refunded.
    package static let restoreComplete = ContractPromise(
        "a restore brings back each finished purchase",
        """
        For each finished purchase that can be restored a new transaction comes, in the state restored, without an \
        order, with the purchase as its original. What was refunded does not come back.
        """
    )
    /// The promise that a restore returns no consumables.
    package static let consumablesStay = ContractPromise(
        "consumables are not restored",
        "A restore brings back nothing that is used up."
    )
}

// MARK: - Requests

extension ContractPromise {
    private static var ofRequests: [ContractPromise] {
        [
            callsReturn, productsComplete, sellsAgrees, receiptsGiven, unknownHasNoReceipt, refreshAnswered,
            contentServed, promotionsKept,
        ]
    }

    /// The promise that acknowledgements, and synchronous reads of services, return before the deadline.
    package static let callsReturn = ContractPromise(
        "calls that must not block return",
        "An acknowledgement, and what an app reads of the services, return before the deadline, on any thread."
    )

    /// The promise that a look-up returns each identifier exactly once, as a product or as invalid.
    package static let productsComplete = ContractPromise(
        "a look-up accounts for every identifier",
        "It is answered before the deadline, with each identifier exactly once: as a product if it sells, else as invalid."
    )
    /// The promise that `sells`, if it returns a value, agrees with the look-up of products.
    package static let sellsAgrees = ContractPromise(
        "what is said to sell is what a look-up finds",
        "Whether an identifier sells, if it can be said at once, agrees with the look-up."
    )
    /// The promise that each unfinished purchased or restored transaction has a receipt.
    package static let receiptsGiven = ContractPromise(
        "purchases have receipts",
        "A store that claims receipts has one for each unfinished purchased and restored transaction."
    )
    /// The promise that unknown and failed transactions have no receipt.
    package static let unknownHasNoReceipt = ContractPromise(
        "what nobody bought has no receipt",
        "There is none for an identifier that no transaction has, nor for a transaction that failed."
    )
    /// The promise that a receipt refresh succeeds or fails before the deadline.
    package static let refreshAnswered = ContractPromise(
        "a receipt refresh is answered",
        "It is answered before the deadline, be it with a refusal."
    )
    /// The promise that a hosted file has the same bytes, in whatever parts it is requested.
    package static let contentServed = ContractPromise(
        "a hosted file is sent whole",
        """
        Piece by piece, each from its offset and not above its limit, the same bytes come however the file is cut. A \
        version that is not hosted is refused.
        """
    )
    /// The promise that an app's changes to promotions remain until the app removes them.
    package static let promotionsKept = ContractPromise(
        "changes of promotions are kept",
        "Once an app's change is acknowledged, the overrides have it, until the app takes it back."
    )
}

extension ContractPromise {
    /// The promises of a store that offers a `HistoryService`.
    static var ofHistory: [ContractPromise] {
        [
            historyAnswered, historyComplete, historyInOrder, unfinishedAgrees, entitlementsAgree, latestAgrees,
            identifiersFound, revocationsFound, limitKept, pagesCoverAll, subscriptionsFound, listenersTold,
            historyRemains,
        ]
    }

    /// The promise that every query of the history has a result before the deadline.
    package static let historyAnswered = ContractPromise(
        "questions about the history are answered",
        "Each is answered before the deadline, and those about transactions and subscriptions are not refused."
    )
    /// The promise that the history contains all purchases, and no refused order.
    package static let historyComplete = ContractPromise(
        "the history has what was sold",
        """
        All that the account bought is in it, refunded or not, and nothing that was refused. Finished consumables are in \
        it if they are asked for.
        """
    )
    /// The promise that the history begins with the newest transaction, and its unfinished part with the oldest.
    package static let historyInOrder = ContractPromise(
        "the history is in order",
        "The newest transaction comes first; among those that are unfinished, the oldest."
    )
    /// The promise that the history's unfinished transactions are those that no queue has finished.
    package static let unfinishedAgrees = ContractPromise(
        "the history knows what is unfinished",
        "The unfinished transactions are those that are purchased or restored, and that no queue has finished."
    )
    /// The promise that entitlements contain each product that the account may use, once, and no consumable.
    package static let entitlementsAgree = ContractPromise(
        "entitlements are what may be used",
        "A product that is bought, lasts and is not refunded is among them, once; no consumable is."
    )
    /// The promise that the latest transaction of a product is the newest in the history.
    package static let latestAgrees = ContractPromise(
        "each product has a latest transaction",
        "It is the newest of those in the history, and there is one for each product that was bought."
    )
    /// The promise that transactions are found by their identifiers, and returned in the same order.
    package static let identifiersFound = ContractPromise(
        "transactions are found by their identifiers",
        "They come in the order of the identifiers, and identifiers that no transaction has are left out."
    )
    /// The promise that refunded transactions are found, in the order of their refunds.
    package static let revocationsFound = ContractPromise(
        "revocations are found",
        """
        Refunded transactions come with the date, in the order of their refunds. Every page has a place behind which \
        later ones are found.
        """
    )
    /// The promise that a page has no more transactions than requested.
    package static let limitKept = ContractPromise(
        "a page keeps to its limit",
        "It has no more transactions than were asked for, be it one."
    )
    /// The promise that each transaction is on exactly one page, even if a purchase is made between two pages.
    package static let pagesCoverAll = ContractPromise(
        "pages cover the answer once",
        "Page by page, each transaction comes once, also if the store sells between two pages, and there is a last page."
    )
    /// The promise that a subscription is found by its group and its transactions, and in no other group.
    package static let subscriptionsFound = ContractPromise(
        "subscriptions are found",
        "A subscription that was bought is found by its group, by its transaction and among all, and in no other group."
    )
    /// The promise that listeners are notified of sales, finishes and refunds.
    package static let listenersTold = ContractPromise(
        "listeners are told of changes",
        "A listener is told after a sale, a finish and a refund that the answers may have changed."
    )
    /// The promise that a reopened store returns the same results, even for cursors of an earlier launch.
    package static let historyRemains = ContractPromise(
        "the history outlives the process",
        "After the store was opened again it gives the same answers, also behind places of an earlier launch."
    )
}

extension ContractPromise {
    /// The promises of updates other than transactions.
    static var ofNotices: [ContractPromise] { [noticesTold, noticesShown, noticesEnd, storefrontTold] }

    /// The promise that each notice reaches connected receivers, and receivers that connect with an earlier cursor.
    ///
    /// A notice is a revocation or a purchase that the user began in the store, as in `StoreUpdate.revoked` and
    /// `StoreUpdate.promoted`.
    package static let noticesTold = ContractPromise(
        "revocations and promoted purchases are told",
        "A receiver that is connected hears of each, and so does one that connects with a cursor before it."
    )
    /// The promise that each snapshot contains all notices that are not acknowledged.
    package static let noticesShown = ContractPromise(
        "what was not acknowledged is told again",
        """
        Every snapshot has the revocations and the promoted purchases that no acknowledgement has passed yet, also \
        after the store was opened again.
        """
    )
    /// The promise that no snapshot contains a notice that was acknowledged.
    package static let noticesEnd = ContractPromise(
        "what was acknowledged is over",
        """
        A snapshot has no revocation and no promoted purchase up to the cursor that was acknowledged last; the \
        acknowledgement includes all before it.
        """
    )
    /// The promise that connected receivers are notified of a change of the storefront.
    package static let storefrontTold = ContractPromise(
        "a change of the storefront is told",
        "A receiver that is connected hears of the new country, which the storefront's service names from then on."
    )
}
