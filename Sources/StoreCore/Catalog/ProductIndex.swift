/// The number of a product in a catalog, from 0 in the order of registration.
struct ProductIndex: TypedNumber { let rawValue: Int }
