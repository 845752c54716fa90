/** The system calls that the filter names, with their numbers on the two supported architectures. */

export type Machine = 'x64' | 'arm64'

/** The kernel writes these AUDIT_ARCH_* values into seccomp_data. */
export const auditArchitecture: Record<Machine, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/**
 * The highest number that a program may use: futex_requeue of Linux 6.7. Later calls answer "not implemented", which every
 * libc takes for an older kernel, so that a call that this list does not know is never allowed.
 */
export const lastKnownNumber = 456

/** The bit that marks x86-64's second table of calls (x32). */
export const x32Bit = 0x4000_0000

/** Each call's numbers on x64 and arm64; null where the machine has none. */
const numbers = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  clone: [56, 220],
  clone3: [435, 435],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  create_module: [174, null],
  init_module: [175, 105],
  delete_module: [176, 106],
  get_kernel_syms: [177, null],
  query_module: [178, null],
  finit_module: [313, 273],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  nfsservctl: [180, 42],
  lookup_dcookie: [212, 18],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  vhangup: [153, 58],
  vmsplice: [278, 75],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  memfd_secret: [447, 447],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  personality: [135, 92],
  fcntl: [72, 25],
  flock: [73, 32],
  io_setup: [206, 0],
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  cachestat: [451, 451],
  seccomp: [317, 277],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  mq_open: [240, 180],
  prctl: [157, 167],
  prlimit64: [302, 261],
  sync: [162, 81],
  syncfs: [306, 267],
  fsync: [74, 82],
  fdatasync: [75, 83],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
} satisfies Record<string, [number, number | null]>

export type SystemCall = keyof typeof numbers

export function systemCallNumber(name: SystemCall, machine: Machine): number | null {
  const [x64, arm64] = numbers[name]
  return machine === 'x64' ? x64 : arm64
}
