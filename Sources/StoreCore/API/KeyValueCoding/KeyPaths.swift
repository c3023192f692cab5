// With Objective-C, `NSObject` has these.
#if !canImport(ObjectiveC)
    extension SKPayment {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKPaymentTransaction {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProduct {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProductDiscount {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProductSubscriptionPeriod {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProductsResponse {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKStorefront {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKDownload {
        /// Sets the property at the end of a dot-separated key path, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }
#endif
