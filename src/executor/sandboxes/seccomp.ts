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

/** These answer "not implemented" rather than "not permitted": libc then uses the older call, whose arguments the filter can read. */
export const hiddenCalls: readonly SystemCall[] = ['clone3', 'io_uring_setup', 'io_uring_enter', 'io_uring_register']

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 }
const allow = 0x7fff_0000
const killProcess = 0x8000_0000
const refuse = (code: number) => 0x0005_0000 | code

const namespaceFlags = 0x7e02_0000
const ttyInjections = [0x5412, 0x541c] // TIOCSTI, TIOCLINUX
// Only UNIX sockets are allowed. INET and INET6 would reach an empty network, but data in their buffers counts against no
// limit of a version 1 cgroup (measured: 2.5 GB by a program that had 64 MiB).
const socketFamilies = [1]
const personalities = [0, 0x0004_0000, 0xffff_ffff] // Linux, without address randomisation, "which is it?"

type Instruction = [code: number, jumpTrue: number, jumpFalse: number, value: number]

const loadAt = (offset: number): Instruction => [0x20, 0, 0, offset]
const loadArgument = (index: number) => loadAt(16 + 8 * index)
const give = (value: number): Instruction => [0x06, 0, 0, value]
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value]
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value]
const ifAnyBit = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value]

/** The program in the kernel's format: eight bytes an instruction, little-endian on both machines. */
export function assembleFilter(machine: Machine): Buffer {
  const program = compose(machine)
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, jumpTrue, jumpFalse, value], i) => {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(jumpTrue, i * 8 + 2)
    bytes.writeUInt8(jumpFalse, i * 8 + 3)
    bytes.writeUInt32LE(value, i * 8 + 4)
  })
  return bytes
}

function compose(machine: Machine): Instruction[] {
  const program: Instruction[] = [loadAt(4), ifEqual(auditArchitecture[machine], 1, 0), give(killProcess), loadAt(0)]
  if (machine === 'x64') program.push(ifAtLeast(x32Bit, 0, 1), give(killProcess))
  program.push(ifAtLeast(lastKnownNumber + 1, 0, 1), give(refuse(errno.ENOSYS)))

  const answer = (name: SystemCall, body: Instruction[]) => {
    const number = systemCallNumber(name, machine)
    if (number !== null) program.push(ifEqual(number, 0, body.length), ...body)
  }
  for (const name of refusedCalls) answer(name, [give(refuse(errno.EPERM))])
  for (const name of hiddenCalls) answer(name, [give(refuse(errno.ENOSYS))])
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
