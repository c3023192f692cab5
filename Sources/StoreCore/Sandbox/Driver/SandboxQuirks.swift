/// The quirks of a sandbox store, as its operator sets them.
struct SandboxQuirks: QuirkService {
    let driver: SandboxDriver

    func quirk(_ kind: StoreQuirk.Kind) -> StoreQuirk? {
        driver.state.withLock { driverState in
            driverState.settings.rules.hasQuirks ? driverState.settings.rules.quirks[kind] : nil
        }
    }
}
