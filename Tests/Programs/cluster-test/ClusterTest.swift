import Foundation
import PostgresCluster
import StorePostgres
import StoreServer

/// A program that runs servers of one store, whose ledger is in PostgreSQL, and apps that buy from any of them over HTTP, all in
/// processes of their own; breaks what can be broken; and checks the ledger, and what everybody asked and was told, against the
/// simulator's model.
///
///     cluster-test [--seconds 60] [--seed N] [--servers 3] [--clients 8]
///     cluster-test --failover synchronous|asynchronous [--seed N] [--servers 3] [--clients 8]
///
/// Subscriptions renew every few seconds, by the clocks of whichever server is ahead. In the end the ledger is replayed: the model
/// decides anew on each of its records, and has to come to the same charges, owners and unfinished transactions, and to what each
/// app was told. What was known before something else was asked has to precede it in the ledger.
///
/// It makes a cluster of its own and removes it, and ends each process that it has started. With `--folder` what the
/// processes said and logged is kept there.
///
/// Exit codes: 0 all agreed, 1 something did not, 2 a mistake in the arguments.
@main enum ClusterTest {
    static func main() {
        do {
            if let role = try Role(CommandLine.arguments.dropFirst()) { try role.run() }
            let options = try Options(CommandLine.arguments.dropFirst())
            guard Postgres.isAvailable else { throw Options.Mistake(description: Postgres.advice) }
            guard MicroHTTPD.isAvailable else { throw Options.Mistake(description: MicroHTTPD.advice) }
            if let failover = options.failover {
                try FailoverRunner(options, failover).run()
            } else {
                try ClusterRunner(options).run()
            }
        } catch let mistake as Options.Mistake {
            complain(mistake.description)
            exit(2)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// Prints a line at once, whatever standard output is.
    static func report(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }

    private static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("cluster-test: \(line)\n".utf8))
    }
}
