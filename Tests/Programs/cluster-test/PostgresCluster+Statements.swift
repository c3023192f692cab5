import PostgresCluster
import StorePostgres

#if canImport(CPostgres)
    import CPostgres
#endif

extension PostgresCluster {
    /// Runs a statement, has the server read its settings again, and returns the first value.
    @discardableResult
    func value(of statement: String) throws -> String? {
        #if canImport(CPostgres)
            let connection = PQconnectdb(settings)
            defer { PQfinish(connection) }
            let result = PQexec(connection, statement)
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                throw Contradiction(String(cString: PQerrorMessage(connection)))
            }
            PQclear(PQexec(connection, "SELECT pg_reload_conf()"))
            return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
        #else
            throw Contradiction(Postgres.advice)
        #endif
    }
}
