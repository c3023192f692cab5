extension StoreTransaction {
    func becoming(_ state: State, failure: StoreFailure? = nil, held: String? = nil) -> StoreTransaction {
        StoreTransaction(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            failure: failure,
            heldIdentifier: held
        )
    }
}
