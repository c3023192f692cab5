/// The quirks of a sandbox store, as its operator sets them.
struct SandboxQuirks: QuirkService {
    let driver: SandboxDriver

    var quirks: Set<StoreQuirk> { driver.state.withLock { $0.settings.rules.quirks } }
}
