/// A customer in the life of a server.
struct SimulatedCustomer: Hashable, Sendable {
    /// The customer's name, which is that of the store's account.
    let name: String
    /// The identifier by which the server knows the customer, and which purchases have as their token.
    let identifier: String
}
