import StoreCore

/// The promises of a store, to hold any backend against.
public enum StoreContract {}
