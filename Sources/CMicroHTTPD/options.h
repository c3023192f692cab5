// libmicrohttpd, and what it has only with a variable number of arguments, which Swift cannot call.
#include <microhttpd.h>

/// The port that a daemon listens on; 0 if it does not tell.
static inline uint16_t store_bound_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/// What the notification of a new connection has kept for it; null before that.
static inline void *store_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : 0;
}

/// The descriptor of a connection's socket; -1 if it does not tell.
static inline int store_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// The address of a connection's client; null if it does not tell.
static inline const struct sockaddr *store_connection_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : 0;
}

/// Whether the library was built with TLS; its number has two names, of which Swift imports neither.
static inline int store_has_tls(void) { return MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES; }
