/** The arguments of bubblewrap: what a box sees of the host, and the script that starts its program. */
import { lstatSync, readlinkSync } from 'node:fs'
import type { BoxProgram } from '../sandbox.ts'
import type { View } from '../views/view.ts'
import {
  type BoxHost,
  type BoxPlace,
  descriptors,
  groupFolder,
  joinedFolder,
  keptScript,
  launchScript,
  type Stage,
} from './launch-script.ts'

export function boxArguments(host: BoxHost, program: BoxProgram, place: BoxPlace): string[] {
  const user = String(host.users[place.number])
  const size = String(program.limits.folderBytes)
  return [
    ...namespaces(host, user),
    ...['--die-with-parent', '--as-pid-1', '--clearenv'],
    ...Object.entries(program.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(host.without.includes('filter') ? [] : ['--seccomp', String(descriptors.filter)]),
    ...(program.view ? [] : systemFolders()),
    ...['--ro-bind', host.etc, '/etc'],
    ...(program.view ? viewArguments(program.view) : []),
    ...parentFolders([
      ...['/dev/null', ...foldersOf(program), ...program.files.map((file) => file.at)],
      ...(program.testFiles ? [`${testFolder}/`] : []),
    ]),
    ...devices(),
    ...['--proc', '/proc'],
    ...host.hiddenFigures,
    ...(host.isRoot && !place.stage ? [] : hideFirstProcess),
    // Read-only, so that links there do not record when they were last followed.
    ...['--remount-ro', '/proc'],
    // Only a sticky folder's owner can change its attributes.
    ...['--perms', '1777', '--size', size, '--tmpfs', '/box', '--symlink', '/box', '/tmp'],
    ...(program.handOut && !program.handOut.isRestored ? ['--perms', '1777', '--dir', program.handOut.folder] : []),
    ...foldersOf(program).flatMap((folder) => ['--ro-bind', folder, folder]),
    ...program.files.flatMap((file) => ['--ro-bind', file.from, file.at]),
    ...testFileArguments(program, place),
    ...(place.stage ? stageArguments(place.stage) : []),
    ...(place.joined ? joinedArguments(place.joined) : []),
    ...(program.input === undefined || place.stage ? [] : ['--ro-bind', program.input, '/input']),
    ...['--remount-ro', '/', '--chdir', '/box', '--'],
    ...['/bin/sh', '-c', scriptOf(host, program, user, place), 'box'],
    ...program.command,
  ]
}

const scriptOf = (host: BoxHost, program: BoxProgram, user: string, place: BoxPlace): string =>
  place.stage ? keptScript(host, program, user, place, place.stage) : launchScript(host, program, user, place)

const foldersOf = ({ view, folders }: BoxProgram): readonly string[] => (view ? [] : folders)

const viewArguments = ({ mounts }: View): string[] => [
  ...systemLinks(),
  ...mounts.flatMap(({ from, at }) => ['--ro-bind', from, at]),
]

/**
 * The capabilities that the launch script needs to start the program as its user, without any that could be regained.
 */
const userChange = ['SETUID', 'SETGID', 'SETPCAP']

/**
 * The kernel numbers sessions machine-wide, and a process can read its own number. As root, boxes stay in the session
 * of the process that starts them (box-starter.ts), which outlives them all: its other processes are root's, and can't
 * be signalled.
 */
function namespaces(host: BoxHost, user: string): string[] {
  const kinds = (['ipc', 'net', 'uts', 'cgroup'] as const).filter((kind) => !host.without.includes(kind))
  const shared = ['--unshare-pid', ...kinds.map((kind) => `--unshare-${kind}`)]
  if (kinds.includes('uts')) shared.push('--hostname', 'box')
  if (host.isRoot) {
    return [...shared, '--cap-drop', 'ALL', ...userChange.flatMap((name) => ['--cap-add', `CAP_${name}`])]
  }
  const closing = host.mayDisableUserNamespaces ? ['--disable-userns'] : []
  return [...shared, '--unshare-user', '--new-session', ...closing, '--uid', user, '--gid', user]
}

const testFolder = '/judge'

/** The test's files: mounted one by one, or in a reused box the folder with the files of each run. */
function testFileArguments({ testFiles }: BoxProgram, { stage }: BoxPlace): string[] {
  if (testFiles && stage) return ['--ro-bind', stage.testFolder, testFolder]
  return (testFiles ?? []).flatMap(({ from, name }) => ['--ro-bind', from, `${testFolder}/${name}`])
}

/** Only the launch script, as root, can look into this folder. */
const stageArguments = ({ folder, pipeFolder, entrances }: Stage): string[] => [
  ...['--perms', '0700', '--dir', '/stage', '--ro-bind', folder, '/stage/run', '--ro-bind', pipeFolder, '/stage/pipes'],
  ...(entrances?.folders ?? []).flatMap((each, i) => ['--bind', each, `${groupFolder}/${i}`]),
]

/** The same for the pipes to another box. */
const joinedArguments = ({ input, output }: NonNullable<BoxPlace['joined']>): string[] => [
  ...['--perms', '0700', '--dir', joinedFolder],
  ...['--ro-bind', input, `${joinedFolder}/input`, '--ro-bind', output, `${joinedFolder}/output`],
]

/**
 * Without root, the launch script has the same user as the program, which must not see its memory and descriptors; in a
 * reused box its figures would reveal earlier runs.
 */
const hideFirstProcess = ['--size', '4096', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1']

const systemPaths = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
let systemArguments: { readonly folders: string[]; readonly links: string[] } | null = null

const systemFolders = (): string[] => [...describeSystem().folders, ...systemLinks()]
const systemLinks = (): string[] => describeSystem().links

function describeSystem() {
  if (systemArguments) return systemArguments
  const found = systemPaths.map((path) => ({ path, entry: lstatSync(path, { throwIfNoEntry: false }) }))
  const [links, folders] = [true, false].map((isLink) =>
    found.filter(({ entry }) => entry?.isSymbolicLink() === isLink).map(({ path }) => path),
  )
  systemArguments = {
    folders: folders!.flatMap((path) => ['--ro-bind', path, path]),
    links: links!.flatMap((path) => ['--symlink', readlinkSync(path), path]),
  }
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
