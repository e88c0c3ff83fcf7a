/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Imp uses of POSIX and emscripten's C library lacks: programs cannot be
 * started in a page, and nothing needs to reach a disk. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>

int
memfd_create(const char *name, unsigned flags)
{
    (void)name;
    (void)flags;
    errno = ENOSYS;
    return -1;
}

int
posix_spawnp(pid_t *pid, const char *file,
             const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const argv[],
             char *const envp[])
{
    (void)pid;
    (void)file;
    (void)actions;
    (void)attributes;
    (void)argv;
    (void)envp;
    return ENOSYS;
}

int
sync_file_range(int fd, off_t offset, off_t length, unsigned flags)
{
    (void)fd;
    (void)offset;
    (void)length;
    (void)flags;
    return 0;
}
