import Foundation

/// The numbers of a store's objects.
package struct StoreCounts: Hashable, Sendable {
    package let accounts: Int
    package let devices: Int
    package let products: Int
    package let subscriptions: Int
    /// The subscriptions that give access.
    package let running: Int
}

/// An account, with the devices on which it is signed in and the settings that concern its purchases.
package struct StoreCustomer: Hashable, Sendable {
    /// A device on which the account is signed in.
    package struct Device: Hashable, Sendable {
        package let name: String
        package let mayPay: Bool
    }

    /// The account's family.
    package struct Family: Hashable, Sendable {
        package let name: String
        /// The names of the members, the organizer first.
        package let members: [String]
    }

    /// The number of the account, from 0.
    package let number: Int
    package let account: String
    package let devices: [Device]
    package let family: Family?
    package let asksToBuy: Bool
    package let interruptsPurchases: Bool
    package let billingFails: Bool
    package let sharesPurchases: Bool
}

/// A subscription, with its number in the order of their beginnings.
package struct NumberedSubscription: Hashable, Sendable {
    package let number: Int
    package let account: String
    package let subscription: SandboxSubscription
    /// The end of billing retry; nil unless the last renewal failed.
    package let retryEnd: Date?
}

// Lists of all customers and subscriptions, each read at once.
extension SandboxStore {
    /// The numbers of the store's objects.
    package var counts: StoreCounts {
        driver.look { driverState, _ in
            let state = driverState.state
            var (subscriptions, running) = (0, 0)
            for index in state.subscriptions.indices where state.subscriptions.isKnown(index) {
                subscriptions += 1
                if state.subscriptions.isEntitled(index) { running += 1 }
            }
            return StoreCounts(
                accounts: state.accounts.count,
                devices: state.devices.count,
                products: state.catalog.count,
                subscriptions: subscriptions,
                running: running
            )
        }
    }

    /// Returns a page of the accounts, oldest first.
    ///
    /// - Parameters:
    ///   - number: the number of the last account on the previous page; nil for the first page.
    ///   - limit: the maximum number of accounts.
    ///   - isMeant: returns whether an account belongs to the list, from its name and the names of its devices. It must
    ///     not call the store.
    /// - Returns: the page, the number of accounts on all pages, and the number after which the next page begins.
    package func customers(
        after number: Int? = nil,
        limit: Int,
        where isMeant: (_ account: String, _ devices: [String]) -> Bool
    ) -> (page: [StoreCustomer], total: Int, next: Int?) {
        driver.look { driverState, _ in
            let state = driverState.state
            var devices: [AccountID: [DeviceID]] = [:]
            for device in state.devices.indices {
                if let account = state.devices[device].account { devices[account, default: []].append(device) }
            }
            var (page, total, next): ([StoreCustomer], Int, Int?) = ([], 0, nil)
            for account in state.accounts.indices {
                let own = devices[account] ?? []
                guard isMeant(state.accounts[account].name, own.map { state.devices[$0].name }) else { continue }
                total += 1
                guard account.rawValue > number ?? -1 else { continue }
                if page.count < limit {
                    page.append(state.customer(account, own))
                } else if next == nil {
                    next = page.last?.number
                }
            }
            return (page, total, next)
        }
    }

    /// Returns a page of the subscriptions of all accounts, newest first.
    ///
    /// - Parameters:
    ///   - number: the number of the last subscription on the previous page; nil for the first page.
    ///   - limit: the maximum number of subscriptions.
    ///   - isMeant: returns whether a subscription belongs to the list. It must not call the store.
    /// - Returns: the page, the number of subscriptions on all pages, and the number after which the next page begins.
    package func subscriptions(
        before number: Int? = nil,
        limit: Int,
        where isMeant: (NumberedSubscription) -> Bool
    ) -> (page: [NumberedSubscription], total: Int, next: Int?) {
        driver.look { driverState, _ in
            let state = driverState.state
            var (page, total, next): ([NumberedSubscription], Int, Int?) = ([], 0, nil)
            for index in state.subscriptions.indices.reversed() where state.subscriptions.isKnown(index) {
                let subscription = NumberedSubscription(
                    number: index.rawValue,
                    account: state.accounts[state.subscriptions[index].account].name,
                    subscription: SandboxSubscription(index, state.subscriptions, state.catalog),
                    retryEnd: state.subscriptions.trouble(of: index)?.retryEnd
                )
                guard isMeant(subscription) else { continue }
                total += 1
                guard index.rawValue < number ?? .max else { continue }
                if page.count < limit {
                    page.append(subscription)
                } else if next == nil {
                    next = page.last?.number
                }
            }
            return (page, total, next)
        }
    }
}

extension SandboxState {
    fileprivate func customer(_ account: AccountID, _ devices: [DeviceID]) -> StoreCustomer {
        StoreCustomer(
            number: account.rawValue,
            account: accounts[account].name,
            devices: devices.map { .init(name: self.devices[$0].name, mayPay: self.devices[$0].mayPay) },
            family: families.family(of: account).map { families.all[$0] }.map { family in
                .init(name: family.name, members: family.members.map { accounts[$0].name })
            },
            asksToBuy: operatorState.askingAccounts.contains(account),
            interruptsPurchases: operatorState.interruptedAccounts.contains(account),
            billingFails: billing.failingAccounts.contains(account),
            sharesPurchases: families.isSharing(account)
        )
    }
}
