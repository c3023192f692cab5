extension SandboxDriverState {
    /// What the operator and the devices' users have set, which the ledger does not have.
    struct Settings: Sendable {
        var authorizer: Authorizer
        var locale: String
        var rules = SandboxRules()
        var isReachable = true
        /// Devices that cannot reach the store although it is there.
        var offline: Set<DeviceID> = []
        /// The languages of devices that have one of their own.
        var locales: [DeviceID: String] = [:]
        /// The actions of devices' users in the sheet for offer codes.
        var codeEntries: [DeviceID: CodeEntry] = [:]
        /// The answers of devices' users to a price consent request.
        var priceAnswers: [DeviceID: PriceConsentAnswer] = [:]
        /// What becomes of requests for refunds.
        var refundDecision = RefundDecision.approve

        // Inlined: otherwise it would be given a copy of all settings.
        @inline(__always)
        func isReachable(from device: DeviceID) -> Bool {
            isReachable && (offline.isEmpty || !offline.contains(device))
        }
    }
}
