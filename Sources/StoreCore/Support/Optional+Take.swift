extension Optional {
    /// Sets this to nil and returns the previous value.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }

    /// Sets a new value and returns the previous one.
    mutating func replace(with new: Wrapped) -> Wrapped? {
        defer { self = new }
        return self
    }
}
