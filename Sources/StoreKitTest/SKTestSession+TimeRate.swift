import StoreCore

extension SKTestSession {
    /// The rate at which subscriptions renew (behaviors 222 to 225).
    ///
    /// Later versions may add rates: a `switch` needs `@unknown default`.
    @nonexhaustive
    public enum TimeRate: Int, Sendable {
        /// By the calendar.
        case realTime = 0
        /// A day lasts an hour.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case oneHourIsOneDay = 1
        /// A day lasts 30 minutes.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case thirtyMinutesIsOneDay = 2
        /// A day lasts five minutes.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case fiveMinutesIsOneDay = 3
        /// A day lasts a minute.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case oneMinuteIsOneDay = 4
        /// A day lasts 30 seconds.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case thirtySecondsIsOneDay = 5
        /// A day lasts a second.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case oneSecondIsOneDay = 6
        /// A month lasts an hour.
        case monthlyRenewalEveryHour = 10
        /// A month lasts 30 minutes.
        case monthlyRenewalEveryThirtyMinutes = 11
        /// A month lasts 15 minutes.
        case monthlyRenewalEveryFifteenMinutes = 12
        /// A month lasts five minutes.
        case monthlyRenewalEveryFiveMinutes = 13
        /// A month lasts 30 seconds.
        case monthlyRenewalEveryThirtySeconds = 15
        /// Every period lasts 15 minutes.
        case oneRenewalEveryFifteenMinutes = 1000
        /// Every period lasts five minutes.
        case oneRenewalEveryFiveMinutes = 1001
        /// Every period lasts a minute.
        case oneRenewalEveryMinute = 1002
        /// Every period lasts 30 seconds.
        case oneRenewalEveryThirtySeconds = 1003
        /// Every period lasts ten seconds.
        case oneRenewalEveryTenSeconds = 1004
        /// Every period lasts two seconds.
        case oneRenewalEveryTwoSeconds = 1005
    }
}
