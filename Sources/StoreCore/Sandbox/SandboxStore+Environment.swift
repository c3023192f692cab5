import Foundation

extension SandboxStore {
    /// The environment variable that may name a `.storekit` file for the process to begin with,
    /// `STOREKIT_CONFIGURATION`.
    ///
    /// For tests whose code asks for products before anything has set a store, as it may where Xcode's scheme names the
    /// file. The store uses the real clock. The variable is read once, when ``StoreContext/process`` is first used; a
    /// store that is set there later replaces this one.
    public static let configurationVariable = "STOREKIT_CONFIGURATION"

    /// Returns a store on the file that the environment names; nil if it names none or, with a line in the log, if that
    /// cannot be read.
    static func namedByEnvironment(log: StoreLog) -> SandboxStore? {
        guard let path = ProcessInfo.processInfo.environment[configurationVariable], !path.isEmpty else { return nil }
        do {
            let configuration = try StoreConfiguration(contentsOf: URL(fileURLWithPath: path))
            return try SandboxStore(configuration, clock: SystemClock())
        } catch {
            log("there is no store: the file that \(configurationVariable) names is refused: \(error)")
            return nil
        }
    }
}
