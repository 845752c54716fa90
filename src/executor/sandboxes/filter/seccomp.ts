/**
 * The seccomp filter: a classic BPF program that refuses what no judged program needs and what has opened
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

/** These calls are refused whatever their arguments, as a kernel refuses them without the privilege. */
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
]

/**
 * These answer "not implemented" rather than "not permitted": programs then do without. For `clone3`, libc uses the older
 * call, whose arguments the filter can read; contexts of `io_setup` are counted for the whole machine; by `inotify` and
 * `cachestat` a box sees what others do with the system's files; compiled filters take memory that no cgroup counts; what
 * System V's calls and queues of messages make would outlive its process, and be there in the next run of a box that is kept.
 */
export const hiddenCalls: readonly SystemCall[] = [
  ...(['clone3', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const),
  ...(['io_setup', 'inotify_init', 'inotify_init1', 'cachestat', 'seccomp'] as const),
  ...(['shmget', 'semget', 'msgget', 'mq_open'] as const),
]

/**
 * These do nothing and answer success: a box's own files are in memory, and to flush the host's disks is not its business;
 * nor are the times of files, since those of /dev/null, which everyone may write to, are the host's and other boxes' too.
 */
export const idleCalls: readonly SystemCall[] = [
  ...(['sync', 'syncfs', 'fsync', 'fdatasync'] as const),
  ...(['utime', 'utimes', 'futimesat', 'utimensat'] as const),
]

const errno = { none: 0, EPERM: 1, EINVAL: 22, ENOLCK: 37, ENOSYS: 38, EAFNOSUPPORT: 97 }
const allow = 0x7fff_0000
const killProcess = 0x8000_0000
const refuse = (code: number) => 0x0005_0000 | code

const namespaceFlags = 0x7e02_0000
const ttyInjections = [0x5412, 0x541c] // TIOCSTI, TIOCLINUX
// Only UNIX sockets are allowed. INET and INET6 would reach an empty network, but data in their buffers counts against no
// limit of a version 1 cgroup (measured: 2.5 GB by a program that had 64 MiB).
const socketFamilies = [1]
// Record locks, leases and notices of a folder. No cgroup counts their memory (measured: 491 MB by 2.7 million locks of a
// program that had 64 MiB), and on a file that boxes share one could signal to another.
const lockCommands = [6, 7, 37, 38, 1024, 1026] // F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY
// A pipe's size is the executor's affair: a smaller one would hold up whoever writes to it, a larger one takes memory.
const setPipeSize = 1031 // F_SETPIPE_SZ
const setSeccomp = 22 // PR_SET_SECCOMP
const personalities = [0, 0x0004_0000, 0xffff_ffff] // Linux, without address randomisation, "which is it?"

type Instruction = [code: number, jumpTrue: number, jumpFalse: number, value: number]

const loadAt = (offset: number): Instruction => [0x20, 0, 0, offset]
const loadArgument = (index: number) => loadAt(16 + 8 * index)
const give = (value: number): Instruction => [0x06, 0, 0, value]
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value]
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value]
const ifAnyBit = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value]

export type FilterOptions = {
  /** Go's toolchain locks its cache by `flock`. A run can't: the lock of a file that boxes share would be a signal to another. */
  readonly mayFlock?: boolean
}

/** The program in the kernel's format: eight bytes an instruction, little-endian on both machines. */
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
    ...unlessAmong(lockCommands, allow, refuse(errno.ENOLCK)),
  ])
  answer('prctl', [loadArgument(0), ...unlessAmong([setSeccomp], allow, refuse(errno.EINVAL))])
  // Without root, the box's first process is of the same user: its limits are not the program's to change.
  answer('prlimit64', [loadArgument(0), ...unlessAmong([0], refuse(errno.EPERM), allow)])
  answer('clone', [loadArgument(0), ifAnyBit(namespaceFlags, 0, 1), give(refuse(errno.EPERM)), give(allow)])
  answer('unshare', [loadArgument(0), ifEqual(0, 1, 0), give(refuse(errno.EPERM)), give(allow)])
  answer('ioctl', [loadArgument(1), ...unlessAmong(ttyInjections, allow, refuse(errno.EPERM))])
  for (const name of ['socket', 'socketpair'] as const) {
    answer(name, [loadArgument(0), ...unlessAmong(socketFamilies, refuse(errno.EAFNOSUPPORT), allow)])
  }
  answer('personality', [loadArgument(0), ...unlessAmong(personalities, refuse(errno.EPERM), allow)])
  program.push(give(allow))
  return program
}

/** Answers `among` for a value on the list, and `otherwise` for the rest. */
function unlessAmong(values: readonly number[], otherwise: number, among: number): Instruction[] {
  const tests = values.map((value, i) => ifEqual(value, values.length - i, 0))
  return [...tests, give(otherwise), give(among)]
}
