/// An account's subscriptions in a group: its own, then those that its family shares with it.
package struct ServerSubscriptionGroup: Sendable {
    /// The group.
    package let groupIdentifier: String
    /// The subscriptions; ``SignedSubscription/state`` has the number that a server is given, 1 to 5.
    package let subscriptions: [SignedSubscription]
}
