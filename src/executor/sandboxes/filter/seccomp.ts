/**
 * The seccomp filter: a classic BPF program that refuses calls which no judged program needs and which have opened
 * sandboxes before (new namespaces, mounts, tracing, keys, io_uring, bpf, foreign socket families).
 */
import {
  auditArchitecture,
  lastKnownNumber,
  type Machine,
  type SystemCall,
  systemCallNumber,
  x32Bit,
} from './system-calls.ts'

/** Refused with any arguments, as a kernel refuses them without the privilege. */
export const refusedCalls: readonly SystemCall[] = [
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd', 'process_madvise'] as const),
  ...(['mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'move_mount', 'fsopen', 'fsconfig'] as const),
  ...(['fsmount', 'fspick', 'mount_setattr', 'setns', 'add_key', 'request_key', 'keyctl'] as const),
  ...(['bpf', 'perf_event_open', 'userfaultfd', 'create_module', 'init_module', 'delete_module'] as const),
  ...(['get_kernel_syms', 'query_module', 'finit_module', 'kexec_load', 'kexec_file_load', 'reboot'] as const),
  ...(['swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd', 'settimeofday', 'clock_settime'] as const),
  ...(['adjtimex', 'clock_adjtime', 'sethostname', 'setdomainname', 'syslog', 'nfsservctl'] as const),
  ...(['lookup_dcookie', 'name_to_handle_at', 'open_by_handle_at', 'fanotify_init', 'fanotify_mark'] as const),
  ...(['iopl', 'ioperm', 'modify_ldt', 'vhangup', 'vmsplice', 'migrate_pages', 'move_pages', 'mbind'] as const),
  ...(['set_mempolicy', 'set_mempolicy_home_node', 'memfd_secret', 'uselib', 'ustat', 'sysfs', '_sysctl'] as const),
  // The kernel numbers sessions machine-wide, and every process can read its own number.
  ...(['setsid'] as const),
]

/**
 * These fail with "not implemented" rather than "not permitted", so that programs do without them. Instead of `clone3`,
 * libc uses the older call, whose arguments the filter can read. Contexts of `io_setup` are counted machine-wide.
 * `inotify`, `cachestat` and `mincore` show what others do with system files. Compiled filters take memory that no
 * cgroup counts. Objects of System V calls and message queues would outlive their process and remain for the next run
 * in a reused box. `statfs` reveals the free space of the host's disks; a `pidfd` has the number of its process on the
 * host.
 */
export const hiddenCalls: readonly SystemCall[] = [
  ...(['clone3', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const),
  ...(['io_setup', 'inotify_init', 'inotify_init1', 'cachestat', 'mincore', 'seccomp'] as const),
  ...(['shmget', 'semget', 'msgget', 'mq_open', 'statfs', 'fstatfs', 'pidfd_open'] as const),
]

/**
 * These do nothing and report success. A box's own files are in memory, and it must not flush the host's disks. Nor may
 * it set file times: those of /dev/null, which everyone may write to, are shared with the host and other boxes. A later
 * run could find out which pages of a file are cached: so no call may drop, fetch or pin them.
 */
export const idleCalls: readonly SystemCall[] = [
  ...(['sync', 'syncfs', 'fsync', 'fdatasync'] as const),
  ...(['utime', 'utimes', 'futimesat', 'utimensat'] as const),
  ...(['fadvise64', 'readahead', 'sync_file_range'] as const),
  ...(['mlock', 'mlock2', 'mlockall', 'munlock', 'munlockall'] as const),
]

const errno = {
  none: 0,
  EPERM: 1,
  ENOMEM: 12,
  EINVAL: 22,
  ENOTTY: 25,
  ENOLCK: 37,
  ENOSYS: 38,
  ENOPROTOOPT: 92,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
}
const allow = 0x7fff_0000
const killProcess = 0x8000_0000
const refuse = (code: number) => 0x0005_0000 | code

const namespaceFlags = 0x7e02_0000
const pidfdFlag = 0x1000 // CLONE_PIDFD
// Owner and group stay unchanged: anyone may request that for any file, which sets its change time to now. On
// /dev/null, which all boxes share, that would be a signal to every later run.
const unchanged = 0xffff_ffff
// The kernel numbers requested socket cookies, networks and processes for the whole host, and hardly anything else uses
// these numbers: a run that requested a thousand could signal to a later one.
const hostNumbers = [57, 71, 77] // SO_COOKIE, SO_NETNS_COOKIE, SO_PEERPIDFD
const passPidfd = 76 // SO_PASSPIDFD
// Before Linux 5.17 names that it chooses for UNIX sockets are numbered for the whole host: on request, and for senders
// of credentials.
const familyBytes = 2 // the length of an address without a name
const passCredentials = 16 // SO_PASSCRED
// The same for mounts.
const uniqueMount = 0x4000 // STATX_MNT_ID_UNIQUE
// Huge pages belong to the host, and no memory limit counts them.
const hugeMapping = 0x4_0000 // MAP_HUGETLB
const hugeFile = 4 // MFD_HUGETLB
// Locking a page clears its mark "active", which every later run can read in /proc/self/numa_maps.
const lockedMapping = 0x2000 // MAP_LOCKED
const ttyInjections = [0x5412, 0x541c] // TIOCSTI, TIOCLINUX
// Other kinds of requests reach beyond the box. Those of file systems set marks of files that are open for reading
// (ext4: "its extents are cached"), which every later run could read. Those of namespaces tell host-wide numbers.
const requestKinds = [0x5400, 0x8900] // of terminals, pipes and descriptors; of sockets
// Only UNIX sockets are allowed. INET and INET6 would reach an empty network, but data in their buffers counts against
// no limit of a version 1 cgroup (measured: 2.5 GB by a program that had 64 MiB).
const socketFamilies = [1]
// Record locks, leases and folder notifications. No cgroup counts their memory (measured: 491 MB by 2.7 million locks
// of a program limited to 64 MiB), and on a file shared by boxes they could be signals.
const lockCommands = [6, 7, 37, 38, 1024, 1026] // F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY
// Only the executor sets a pipe's size: a smaller one would block its writer, a larger one takes memory.
const setPipeSize = 1031 // F_SETPIPE_SZ
// Hints for writing, and all newer commands. A hint is a mark of a file that every later run could read: older kernels
// let anyone set it, newer ones its owner.
const firstHint = 1035 // F_GET_RW_HINT
const setSeccomp = 22 // PR_SET_SECCOMP
const mergeMemory = 67 // PR_SET_MEMORY_MERGE
// Its cookies tell by their numbers where they are in the kernel's memory, which gives those freed last out first: an
// order that a later run could read.
const shareCore = 62 // PR_SCHED_CORE
// Advice that moves file pages in or out has no effect. DONTNEED is allowed: it only unmaps pages of its own process
// and leaves them in the cache; collectors and allocators depend on it.
const pageAdvice = [3, 20, 21] // MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT
// Equal pages of all boxes would be merged, and the time of a write would reveal that another box has the same page.
const mergeAdvice = [12, 13] // MADV_MERGEABLE, MADV_UNMERGEABLE
// Joined pages of a file stay joined, and a later run can see that.
const joinAdvice = 25 // MADV_COLLAPSE
const personalities = [0, 0x0004_0000, 0xffff_ffff] // Linux, without address randomisation, "which is it?"

/** Calls with the argument index of the owner, which the group follows. */
const chowns = [
  ['chown', 1],
  ['lchown', 1],
  ['fchown', 1],
  ['fchownat', 2],
] as const

type Instruction = [code: number, jumpTrue: number, jumpFalse: number, value: number]

const loadAt = (offset: number): Instruction => [0x20, 0, 0, offset]
const loadArgument = (index: number) => loadAt(16 + 8 * index)
const give = (value: number): Instruction => [0x06, 0, 0, value]
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value]
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value]
const keepBits = (mask: number): Instruction => [0x54, 0, 0, mask]
const ifAnyBit = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value]

export type FilterOptions = {
  /** Go's toolchain locks its cache by `flock`. A run may not: a lock on a file shared by boxes would be a signal. */
  readonly mayFlock?: boolean
}

/** The program in the kernel's format: eight bytes per instruction, little-endian on both machines. */
export function assembleFilter(machine: Machine, options: FilterOptions = {}): Buffer {
  const program = compose(machine, options)
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, jumpTrue, jumpFalse, value], i) => {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(jumpTrue, i * 8 + 2)
    bytes.writeUInt8(jumpFalse, i * 8 + 3)
    bytes.writeUInt32LE(value, i * 8 + 4)
  })
  return bytes
}

function compose(machine: Machine, { mayFlock = false }: FilterOptions): Instruction[] {
  const program: Instruction[] = [loadAt(4), ifEqual(auditArchitecture[machine], 1, 0), give(killProcess), loadAt(0)]
  if (machine === 'x64') program.push(ifAtLeast(x32Bit, 0, 1), give(killProcess))
  program.push(ifAtLeast(lastKnownNumber + 1, 0, 1), give(refuse(errno.ENOSYS)))

  const answer = (name: SystemCall, body: Instruction[]) => {
    const number = systemCallNumber(name, machine)
    if (number !== null) program.push(ifEqual(number, 0, body.length), ...body)
  }
  for (const name of refusedCalls) answer(name, [give(refuse(errno.EPERM))])
  for (const name of hiddenCalls) answer(name, [give(refuse(errno.ENOSYS))])
  for (const name of idleCalls) answer(name, [give(refuse(errno.none))])
  if (!mayFlock) answer('flock', [give(refuse(errno.ENOLCK))])
  answer('fcntl', [
    ...[loadArgument(1), ifEqual(setPipeSize, 0, 1), give(refuse(errno.EPERM))],
    ...[ifAtLeast(firstHint, 0, 1), give(refuse(errno.EINVAL))],
    ...unlessAmong(lockCommands, allow, refuse(errno.ENOLCK)),
  ])
  answer('prctl', [loadArgument(0), ...unlessAmong([setSeccomp, mergeMemory, shareCore], allow, refuse(errno.EINVAL))])
  // Without root, the box's first process has the same user: the program must not change its limits.
  answer('prlimit64', [loadArgument(0), ...unlessAmong([0], refuse(errno.EPERM), allow)])
  answer('clone', [
    ...[loadArgument(0), ifAnyBit(namespaceFlags, 0, 1), give(refuse(errno.EPERM))],
    ...[ifAnyBit(pidfdFlag, 0, 1), give(refuse(errno.EINVAL)), give(allow)],
  ])
  answer('unshare', [loadArgument(0), ifEqual(0, 1, 0), give(refuse(errno.EPERM)), give(allow)])
  answer('ioctl', [
    ...[loadArgument(1), ...onlyIf(ttyInjections, refuse(errno.EPERM))],
    ...[keepBits(0xff00), ...unlessAmong(requestKinds, refuse(errno.ENOTTY), allow)],
  ])
  for (const [name, owner] of chowns) {
    answer(name, [
      ...[loadArgument(owner), ifEqual(unchanged, 1, 0), give(allow)],
      ...[loadArgument(owner + 1), ...unlessAmong([unchanged], allow, refuse(errno.none))],
    ])
  }
  answer('getsockopt', [loadArgument(2), ...unlessAmong(hostNumbers, allow, refuse(errno.ENOPROTOOPT))])
  answer('setsockopt', [
    loadArgument(2),
    ...unlessAmong([passPidfd, passCredentials], allow, refuse(errno.ENOPROTOOPT)),
  ])
  answer('bind', [loadArgument(2), ...unlessAmong([familyBytes], allow, refuse(errno.EINVAL))])
  answer('statx', [loadArgument(3), ifAnyBit(uniqueMount, 0, 1), give(refuse(errno.EINVAL)), give(allow)])
  // From a device it sets the device's time of access, which is the host's. Libraries then copy by other calls.
  answer('sendfile', [give(refuse(errno.EINVAL))])
  answer('mmap', [
    ...[loadArgument(3), ifAnyBit(hugeMapping, 0, 1), give(refuse(errno.ENOMEM))],
    ...[ifAnyBit(lockedMapping, 0, 1), give(refuse(errno.EPERM)), give(allow)],
  ])
  answer('memfd_create', [loadArgument(1), ifAnyBit(hugeFile, 0, 1), give(refuse(errno.ENOMEM)), give(allow)])
  for (const name of ['socket', 'socketpair'] as const) {
    answer(name, [loadArgument(0), ...unlessAmong(socketFamilies, refuse(errno.EAFNOSUPPORT), allow)])
  }
  answer('madvise', [
    ...[loadArgument(2), ...onlyIf([...mergeAdvice, joinAdvice], refuse(errno.EINVAL))],
    ...unlessAmong(pageAdvice, allow, refuse(errno.none)),
  ])
  // With flags they reveal whether a page is cached, or bypass the cache on writing.
  for (const name of ['preadv2', 'pwritev2'] as const) {
    answer(name, [loadArgument(5), ...unlessAmong([0], refuse(errno.EOPNOTSUPP), allow)])
  }
  answer('personality', [loadArgument(0), ...unlessAmong(personalities, refuse(errno.EPERM), allow)])
  program.push(give(allow))
  return program
}

/** Returns `answer` for a listed value, and continues for others. */
const onlyIf = (values: readonly number[], answer: number): Instruction[] =>
  values.flatMap((value) => [ifEqual(value, 0, 1), give(answer)])

/** Returns `among` for a listed value, and `otherwise` for others. */
function unlessAmong(values: readonly number[], otherwise: number, among: number): Instruction[] {
  const tests = values.map((value, i) => ifEqual(value, values.length - i, 0))
  return [...tests, give(otherwise), give(among)]
}
