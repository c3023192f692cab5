// SQLite, and what it has only with a variable number of arguments, which Swift cannot call.
#include <sqlite3.h>

/// Whether closing the last connection leaves the write-ahead log as it is, instead of bringing it into the database.
static inline int store_keep_log_on_close(sqlite3 *database, int keeps) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
