"""Small file systems of our own: ext4 images over loop devices, and tmpfs with a size. Always taken down again."""
import ctypes
import os
import pathlib
import shutil
import subprocess

MOUNT_OPTIONS = "noauto_da_alloc,commit=300,noatime"  # nothing is written for us that was not synced


def command(*words, check=True):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(word) for word in words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def leave_mounts_behind():
    """Mounts of this process and its children are seen by nobody else and end with them."""
    library = ctypes.CDLL(None, use_errno=True)
    new_namespace, recursive, private = 0x20000, 0x4000, 1 << 18
    if library.unshare(new_namespace) != 0 or library.mount(b"none", b"/", None, recursive | private, None) != 0:
        number = ctypes.get_errno()
        raise PermissionError(number, os.strerror(number))


class Image:
    """An ext4 file system in a file. A copy can take its place: same loop device, so the same device number, as after a loss of power."""

    def __init__(self, path, mountpoint, size):
        self.path, self.mountpoint, self.device = path, mountpoint, None
        mountpoint.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(size)
        command("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-O", "^resize_inode", path)
        self.mount()

    def mount(self):
        # mount(8) makes the loop device one that goes away with its mount, so that none is left over, however the rig ends.
        self.device = self.device or command("losetup", "--find")
        command("mount", "-t", "ext4", "-o", f"{MOUNT_OPTIONS},loop={self.device}", self.path, self.mountpoint)

    def unmount(self):
        command("umount", self.mountpoint)

    def copy(self, target):
        """What would be on the disk now: read again until nothing was written meanwhile. Call it while the writers stand still."""
        for _ in range(20):
            copy_sparse(self.path, target)
            if subprocess.run(["cmp", "-s", str(self.path), str(target)]).returncode == 0:
                return
        raise RuntimeError("the image does not stand still")

    def put(self, copy):
        """Takes the file system away without a word, as a loss of power does, and mounts a copy in its place."""
        self.unmount()
        copy_sparse(copy, self.path)
        self.mount()

    def close(self):
        command("umount", "--lazy", self.mountpoint, check=False)


def copy_sparse(source, target):
    command("cp", "--sparse=always", source, target)


class Memory:
    """A tmpfs of a size: a disk that can be full."""

    def __init__(self, mountpoint, size):
        self.mountpoint = mountpoint
        mountpoint.mkdir(parents=True, exist_ok=True)
        command("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", mountpoint)

    def used(self):
        status = os.statvfs(self.mountpoint)
        return (status.f_blocks - status.f_bfree) * status.f_frsize

    def fill(self, leaving):
        """Leaves so many bytes of room, while others write."""
        for _ in range(20):
            try:
                return self.resize(max(4_096, self.used() + leaving))  # a size of 0 would mean none
            except RuntimeError:
                leaving += 4_096  # something was written in between: a disk cannot be smaller than what it holds
        raise RuntimeError("the disk cannot be filled")

    def resize(self, size):
        """Another size: with what is used, the disk is full."""
        command("mount", "-o", f"remount,size={size}", self.mountpoint)

    def close(self):
        command("umount", "--lazy", self.mountpoint, check=False)


def why_not(kind):
    """The reason why this machine cannot mount such file systems, or nothing."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if kind == "loop":
        for tool in ("mkfs.ext4", "losetup"):
            if not shutil.which(tool):
                return f"{tool} is not installed"
    probe = pathlib.Path("/tmp") / f"healthmd-probe.{os.getpid()}"
    probe.mkdir()
    mounted = None
    try:
        if kind == "loop":
            mounted = Image(probe / "image", probe / "mount", 4 << 20)
        else:
            mounted = Memory(probe / "mount", 1 << 20)
    except (RuntimeError, OSError) as error:
        return f"mounts are forbidden: {error}"
    finally:
        if mounted:
            mounted.close()
        shutil.rmtree(probe, ignore_errors=True)
    return None
