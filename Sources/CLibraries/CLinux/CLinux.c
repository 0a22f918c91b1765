#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length, int nonblocking) {
    return accept4(listener, address, length, SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0));
}

static struct flock whole_file_write_lock(void) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

int clinux_ofd_write_lock(int descriptor) {
    struct flock lock = whole_file_write_lock();
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int32_t clinux_ofd_lock_probe(int descriptor) {
    struct flock lock = whole_file_write_lock();
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) {
        return -1;
    }
    if (lock.l_type == F_UNLCK) {
        return 0;
    }
    return lock.l_pid > 0 ? (int32_t)lock.l_pid : INT32_MAX;
}

int clinux_open_beneath(int directory, const char *path, int flags, mode_t mode) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(flags | O_CLOEXEC);
    how.mode = (flags & (O_CREAT | O_TMPFILE)) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int clinux_rename_without_replacing(int from_directory, const char *from, int to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int clinux_open_directory_reference(int directory, const char *name) {
    return openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
