/** The arguments of bubblewrap: what a box sees of the host, and the launch script that starts its program once the limits are set. */
import { lstatSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { Omission } from './omissions.ts'
import type { BoxProgram, HandOut } from './sandbox.ts'

export type BoxHost = {
  /** As root, boxes are created by root and run as an unprivileged user; otherwise they use a user namespace. */
  readonly isRoot: boolean
  /** util-linux's unshare, which changes the user in a fifth of the time that setpriv takes. */
  readonly unshare: string
  readonly etc: string
  /** The arguments that hide the host's figures in /proc. */
  readonly hiddenFigures: readonly string[]
  /** Supported since bubblewrap 0.8. */
  readonly mayDisableUserNamespaces: boolean
  readonly without: readonly Omission[]
  readonly hasCgroup: boolean
}

/** Of the box beside its three streams; from `doors` on, one for each cgroup tree. */
export const descriptors = { control: 3, filter: 4, entryFiles: 5 } as const

/** Ordinary systems use no user ids from here on. */
export const firstUser = 62_000

export type BoxPlace = {
  /** Each has a user of its own. */
  readonly number: number
  readonly entryFileCount: number
  /** Its input and output are pipes that it inherits: the input as its own, the output after the entry files. */
  readonly isJoined?: boolean
}

export function boxArguments(host: BoxHost, program: BoxProgram, place: BoxPlace): string[] {
  const user = String(firstUser + place.number)
  const size = String(program.limits.folderBytes)
  return [
    ...namespaces(host, user),
    ...['--die-with-parent', '--as-pid-1', '--new-session'],
    ...(host.without.includes('filter') ? [] : ['--seccomp', String(descriptors.filter)]),
    ...systemFolders(),
    ...['--ro-bind', host.etc, '/etc'],
    ...parentFolders(['/dev/null', ...program.folders, ...program.files.map((file) => file.at)]),
    ...devices(),
    ...['--proc', '/proc'],
    ...host.hiddenFigures,
    ...(host.isRoot ? [] : hideFirstProcess),
    ...['--perms', '0777', '--size', size, '--tmpfs', '/box', '--symlink', '/box', '/tmp'],
    ...(program.handOut && !program.handOut.isRestored ? ['--perms', '0777', '--dir', program.handOut.folder] : []),
    ...program.folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...program.files.flatMap((file) => ['--ro-bind', file.from, file.at]),
    ...(program.input === undefined ? [] : ['--ro-bind', program.input, '/input']),
    ...['--remount-ro', '/', '--chdir', '/box', '--'],
    ...['/bin/sh', '-c', launchScript(host, program, user, place), 'box', ...program.command],
  ]
}

function namespaces(host: BoxHost, user: string): string[] {
  const kinds = (['ipc', 'net', 'uts', 'cgroup'] as const).filter((kind) => !host.without.includes(kind))
  const shared = ['--unshare-pid', ...kinds.map((kind) => `--unshare-${kind}`)]
  if (host.isRoot) {
    return [...shared, '--cap-drop', 'ALL', ...['SETUID', 'SETGID'].flatMap((c) => ['--cap-add', `CAP_${c}`])]
  }
  const closing = host.mayDisableUserNamespaces ? ['--disable-userns'] : []
  return [...shared, '--unshare-user', ...closing, '--uid', user, '--gid', user]
}

/**
 * As root, the launch script stays root without any privilege but to change its user: so the program, which is another
 * user, can't touch it, and the kernel ends it with bubblewrap (a signal to another user would be refused).
 */
const asUser = (host: BoxHost, user: string): string =>
  host.isRoot ? `${host.unshare} --setgid ${user} --setuid ${user} -- ` : ''

/** Without root, the launch script runs as the same user as the program, which must not see its memory and descriptors. */
const hideFirstProcess = ['--size', '4096', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1']

let systemArguments: string[] | null = null

function systemFolders(): string[] {
  systemArguments ??= [
    '/usr',
    '/bin',
    '/sbin',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/nix/store',
    '/gnu/store',
  ].flatMap((folder) => {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found === undefined) return []
    return found.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder]
  })
  return systemArguments
}

/** bubblewrap would create these folders itself, but as root it would make them inaccessible to others. */
function parentFolders(paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    const names = path.split('/').slice(1, -1)
    for (let depth = 1; depth <= names.length; depth++) folders.add(`/${names.slice(0, depth).join('/')}`)
  }
  for (const path of ['/etc', '/usr', '/box']) folders.delete(path)
  return [...folders].flatMap((folder) => ['--perms', '0755', '--dir', folder])
}

function devices(): string[] {
  const names = ['null', 'zero', 'urandom']
  const links = [
    ['/proc/self/fd', '/dev/fd'],
    ['/proc/self/fd/0', '/dev/stdin'],
    ['/proc/self/fd/1', '/dev/stdout'],
    ['/proc/self/fd/2', '/dev/stderr'],
    ['/dev/urandom', '/dev/random'],
    ['/box', '/dev/shm'],
  ]
  return [
    ...names.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    ...links.flatMap(([target, at]) => ['--symlink', target!, at!]),
  ]
}

/**
 * Runs as the box's first process, with the filter already in force. It sets the limits, reports to the executor that they
 * are set, and only then starts the program, with nothing but its three streams. The shell's own messages go to the control
 * channel: there it names a signal ("Killed"), which tells a kill from an exit code of 137.
 */
function launchScript(host: BoxHost, program: BoxProgram, user: string, place: BoxPlace): string {
  const { limits } = program
  const { hasCgroup } = host
  const as = asUser(host, user)
  const kib = (bytes: number) => Math.ceil(bytes / 1024)
  const processes = hasCgroup ? 2 * limits.processes : limits.processes
  const rlimits = [
    'ulimit -c 0',
    'ulimit -n 1024',
    // Slightly above the folder's size: a program shall get the error of a full folder, not the signal of this limit.
    `ulimit -f ${Math.ceil(limits.folderBytes / 512) + 2048}`,
    `ulimit -s ${kib(Math.min(limits.memoryBytes, 1024 ** 3))}`,
    `ulimit -t ${Math.ceil(limits.cpuMs / 1000) + 1}`,
    // A second limit beside the cgroup's. The kernel counts it by user, and each slot has its own; shells name the option differently.
    `{ ulimit -p ${processes} || ulimit -u ${processes}; }`,
  ]
  const entryFiles = Array.from({ length: place.entryFileCount }, (_, i) => descriptors.entryFiles + i)
  const joined = descriptors.entryFiles + place.entryFileCount
  return [
    'umask 022',
    'exec 4>&2 2>&3',
    '[ -x "$1" ] || { echo "missing $1" >&3; exit 1; }',
    ...rlimits.map((line) => `${line} 2>/dev/null`),
    ...entryFiles.flatMap((entryFile) => [
      `echo 0 >&${entryFile} || { echo unlimited >&3; exit 1; }`,
      `exec ${entryFile}>&-`,
    ]),
    'echo ready >&3 || exit 1',
    `(exec ${as}"$@" 2>&4 ${streamsOf(program, place.isJoined ? joined : null)} 3>&- 4>&-)`,
    'status=$?',
    ...(program.handOut ? ['echo "over $status" >&3', `${as}/bin/sh -c '${handOutScript(program.handOut)}'`] : []),
    ...(program.collect === undefined ? [] : [`[ $status != 0 ] || ${as}cat '${program.collect}' 2>/dev/null`]),
    'echo "ended $status" >&3',
    ...(hasCgroup ? [] : ['times >&3']),
  ].join('\n')
}

function streamsOf(program: BoxProgram, joined: number | null): string {
  if (joined !== null) return `1>&${joined} ${joined}>&-`
  const output = program.collect !== undefined ? '1>&4' : program.handOut ? '1>/dev/null' : ''
  return `${output} <${program.input === undefined ? '/dev/null' : '/input'}`
}

/**
 * Runs as the program's user, once everything else of that user has ended. Neither links nor pipes leave: what a link leads
 * to is not what the program wrote, and a pipe would be waited for.
 */
function handOutScript({ folder, files, archive }: HandOut): string {
  const each = files.map(({ name, mostBytes }) =>
    [
      `if [ -f ${name} ] && [ ! -L ${name} ] && size=$(wc -c <${name})`,
      `then [ $size -le ${mostBytes} ] || size=${mostBytes}; echo ${name} $((size)); head -c $((size)) ${name}; fi`,
    ].join('\n'),
  )
  return [
    `exec 2>/dev/null; kill -s KILL -- -1; cd ${folder} || exit 0`,
    ...each,
    ...(archive ? [`echo archive; cd ..; exec tar -cf - ${basename(folder)}`] : []),
  ].join('\n')
}
