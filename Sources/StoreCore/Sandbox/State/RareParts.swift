/// The parts of a state that most stores never use.
///
/// A snapshot has them in JSON, and all others in bytes.
struct RareParts: Codable {
    @OmittedWhenNew var subscriptions: Subscriptions
    @OmittedWhenNew var offers: Offers
    @OmittedWhenNew var operatorState: OperatorState
    @OmittedWhenNew var billing: BillingState
    @OmittedWhenNew var revocations: Revocations
    @OmittedWhenNew var families: Families
    @OmittedWhenNew var server: ServerState

    private enum CodingKeys: String, CodingKey {
        case subscriptions, offers
        case operatorState = "owner"
        case billing, revocations, families, server
    }

    init(of state: borrowing SandboxState) {
        subscriptions = state.subscriptions
        offers = state.offers
        operatorState = state.operatorState
        billing = state.billing
        revocations = state.revocations
        families = state.families
        server = state.server
    }
}
