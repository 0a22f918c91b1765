// Linux calls that the Glibc module of Swift lacks, and variadic calls that Swift cannot make.
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

/// `accept4(2)` with `SOCK_CLOEXEC`, and `SOCK_NONBLOCK` when `nonblocking` is not zero.
int clinux_accept(int listener, struct sockaddr *address, socklen_t *length, int nonblocking);

/// Open-file-description locks (`F_OFD_SETLK`, `F_OFD_GETLK`). Returns 0 or -1 with `errno`.
int clinux_ofd_write_lock(int descriptor);

/// The pid that holds a conflicting lock, 0 when there is none, -1 with `errno` on failure.
/// Open-file-description locks report the pid -1; the caller then gets `INT32_MAX`.
int32_t clinux_ofd_lock_probe(int descriptor);

/// `openat2(2)` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS`. Returns a descriptor or -1 with `errno`.
int clinux_open_beneath(int directory, const char *path, int flags, mode_t mode);

/// `renameat2(2)` with `RENAME_NOREPLACE`. Returns 0 or -1 with `errno`.
int clinux_rename_without_replacing(int from_directory, const char *from, int to_directory, const char *to);

/// `openat(2)` with `O_PATH | O_DIRECTORY | O_NOFOLLOW`: a reference to a folder that needs no permission on it.
int clinux_open_directory_reference(int directory, const char *name);
