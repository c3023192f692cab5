/// A batch of callbacks that a member is making.
package struct CallbacksUnderWay: Sendable {
    struct ID: Hashable, Sendable {
        let member: ObjectIdentifier
        /// A number that differs from those of the member's other batches.
        let batch: Int
    }

    let id: ID
    /// The log for a line about these callbacks.
    let log: StoreLog

    package init(of member: AnyObject, batch: Int, log: StoreLog) {
        id = ID(member: ObjectIdentifier(member), batch: batch)
        self.log = log
    }
}
