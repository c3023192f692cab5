// The numbers by which events name what a store holds: counted from 0 in the order of creation, and never reused.

/// The number of an account.
struct AccountID: TypedNumber { let rawValue: Int }

/// The number of a device.
struct DeviceID: TypedNumber { let rawValue: Int }

/// The number of a family.
struct FamilyID: TypedNumber { let rawValue: Int }

/// The number of an account's subscription in a group.
struct SubscriptionIndex: TypedNumber { let rawValue: Int }

/// The number of a purchase in the history of its account.
struct PurchaseIndex: TypedNumber { let rawValue: Int }
