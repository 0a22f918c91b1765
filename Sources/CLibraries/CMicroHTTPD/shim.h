// The one header that the module `CMicroHTTPD` is made of.
#pragma once
#include <sys/socket.h>
#include <microhttpd.h>

// Swift cannot call variadic functions; these are the calls that the project makes.

/// `MHD_start_daemon` without a listening socket. `timeout_seconds` 0 means none.
static inline struct MHD_Daemon *hmd_mhd_start(
    unsigned int flags, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection, void *context, size_t memory_limit, unsigned int connection_limit,
    unsigned int timeout_seconds, unsigned int worker_count) {
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_limit,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
        MHD_OPTION_THREAD_POOL_SIZE, worker_count,
        MHD_OPTION_END);
}

/// The descriptor of a connection, -1 when there is none.
static inline int hmd_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// What the connection callback stored for this connection.
static inline void *hmd_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}
