/// A mistake in a simulation of an app.
public enum AppSimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A product that is not among the simulation's.
    case unknownProduct(String)
    /// ``AppSimulation/holds(_:_:)`` of a product that is not bought again and again.
    case isNotCounted(String)
    /// ``AppSimulation/allows(_:_:)`` of a product that is used up.
    case isNotAccess(String)
    /// A step with an action that the simulation does not have.
    case unknownAction(String)
    /// A step with an offer that the product does not have.
    case unknownOffer(String, of: String)
    /// A step with a file that no product hosts.
    case unknownFile(String)
    /// A step to a country without a store, or with a code that is not ISO 3166-1 alpha-3.
    case unknownCountry(String)
    /// Nothing that a rule is about: neither products nor invariants.
    case nothingIsClaimed
    /// A number of runs, steps or threads below 1.
    case wrongNumber(Int)
    /// A line of a file of seeds that is no seed, with the file's path.
    case noSeed(String, file: String)

    /// A sentence that describes the mistake.
    public var description: String {
        switch self {
        case .unknownProduct(let name): "the simulation sells no product \(name)"
        case .isNotCounted(let name):
            "\(name) is neither a consumable nor a non-renewing subscription: use allows in place of holds"
        case .isNotAccess(let name):
            "\(name) is neither a non-consumable nor an auto-renewable subscription: use holds in place of allows"
        case .unknownAction(let name): "the simulation has no action \(name)"
        case .unknownOffer(let offer, let product): "\(product) has no offer \(offer)"
        case .unknownFile(let file): "no product hosts the file \(file)"
        case .unknownCountry(let code): "\(code) is no country with a store, as USA is"
        case .nothingIsClaimed: "nothing is required of the app: add holds, delivers, allows or invariant"
        case .wrongNumber(let number): "\(number) is no number of runs, steps or threads; it is at least 1"
        case .noSeed(let line, let file): "\(line) in \(file) is no seed"
        }
    }
}
