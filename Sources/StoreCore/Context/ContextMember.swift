/// A member of a context, notified when the context's store changes.
protocol ContextMember: AnyObject, Sendable {
    func setupChanged()
}
