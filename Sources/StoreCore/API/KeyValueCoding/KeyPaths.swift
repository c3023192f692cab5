// Where there is Objective-C, `NSObject` has these.
#if !canImport(ObjectiveC)
    extension SKPayment {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKPaymentTransaction {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProduct {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProductDiscount {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProductSubscriptionPeriod {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKProductsResponse {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKStorefront {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }

    extension SKDownload {
        /// Changes a property at the end of a path of names with dots between, as `setValue(_:forKey:)` does.
        public func setValue(_ value: Any?, forKeyPath path: String) { write(value, along: path) }
        /// The property at the end of a path of names with dots between, nil where the path leads through nil.
        public func value(forKeyPath path: String) -> Any? { read(along: path) }
    }
#endif
