import StoreContract
import StoreCore

/// Seeded lives of apps, played against a sandbox store.
public enum StoreSimulator {}
