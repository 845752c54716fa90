/** The script that is a box's first process: it sets the limits, and then starts the program. */
import { basename } from 'node:path'
import type { Entrances } from '../cgroups/cgroups.ts'
import type { Omission } from '../omissions.ts'
import type { BoxProgram, HandOut } from '../sandbox.ts'

export type BoxHost = {
  /** As root, boxes are created by root and run as an unprivileged user; otherwise they use a user namespace. */
  readonly isRoot: boolean
  /** util-linux's setpriv. */
  readonly setpriv: string
  /** The user ids, by box number. */
  readonly users: readonly number[]
  readonly etc: string
  /** The arguments that hide the host's figures in /proc. */
  readonly hiddenFigures: readonly string[]
  /** Supported since bubblewrap 0.8. */
  readonly mayDisableUserNamespaces: boolean
  readonly without: readonly Omission[]
  readonly hasCgroup: boolean
}

/** The box's descriptors besides its three streams; from `entryFiles` on, one for each cgroup tree. */
export const descriptors = { control: 3, filter: 4, entryFiles: 5 } as const

export type BoxPlace = {
  /** Each number has its own user. */
  readonly number: number
  /** How many descriptors it has for entering its cgroup. */
  readonly entryFileCount: number
  /** Its input and output are pipes to another box. Only the program opens them, so that it has the only end. */
  readonly isJoined?: boolean
  /** The paths of these pipes; a reused box finds those of each run on its stage. */
  readonly joined?: { readonly input: string; readonly output: string } | undefined
  readonly stage?: Stage
}

/** The folders in which a reused box finds the input, the pipes and the test's files of each run. */
export type Stage = {
  readonly folder: string
  readonly testFolder: string
  readonly pipeFolder: string
  /** Where its runs enter their cgroups by themselves. Without it they are moved. */
  readonly entrances: Entrances | null
}

/**
 * Runs as the box's first process, with the filter already in force. It sets the limits, reports this to the executor,
 * and only then starts the program, with nothing but its three streams. The shell's own messages go to the control
 * channel: its name of a signal ("Killed") distinguishes a kill from an exit code of 137.
 */
export function launchScript(host: BoxHost, program: BoxProgram, user: string, place: BoxPlace): string {
  const { hasCgroup } = host
  const as = asUser(host, user)
  return [
    'umask 022',
    'exec 4>&2 2>&3',
    '[ -x "$1" ] || { echo "missing $1" >&3; exit 1; }',
    ...limitLines(host, program),
    ...entryLines(place),
    ...(place.isJoined ? joinedLines(as) : plainLines(program, as)),
    'status=$?',
    ...(program.handOut ? ['echo "over $status" >&3', `${as}/bin/sh -c '${handOutScript(program.handOut)}'`] : []),
    ...(program.collect === undefined ? [] : [`[ $status != 0 ] || ${as}cat '${program.collect}' 2>/dev/null`]),
    'echo "ended $status" >&3',
    ...(hasCgroup ? [] : ['times >&3']),
  ].join('\n')
}

const plainLines = (program: BoxProgram, as: string): string[] => [
  'echo ready >&3 || exit 1',
  `(exec ${as}"$@" 2>&4 ${streamsOf(program)} 3>&- 4>&-)`,
]

/** The pipes are opened before it reports that it is ready. */
const joinedLines = (as: string): string[] => [
  `(exec <${joinedFolder}/input >${joinedFolder}/output`,
  'echo ready >&3 || exit 1',
  `exec ${as}"$@" 2>&4 3>&- 4>&-)`,
]

/** The folder in which a single-use box has the pipes to the other one. */
export const joinedFolder = '/joint'

function streamsOf(program: BoxProgram): string {
  const output = program.collect !== undefined ? '1>&4' : program.handOut ? '1>/dev/null' : ''
  return `${output} <${program.input === undefined ? '/dev/null' : '/input'}`
}

/**
 * Runs as the program's user, after everything else of that user has ended. Links and pipes are not sent: a link's
 * target is not what the program wrote, and a pipe would block. It always takes two processes.
 */
function handOutScript({ folder, files, archive }: HandOut): string {
  const mostBytes = Math.max(...files.map((file) => file.mostBytes))
  const send = `head -q -c ${mostBytes} $names`
  return [
    `exec </dev/null 2>/dev/null; kill -s KILL -- -1; cd ${folder} || exit 0; names=`,
    'look() { if [ -f $1 ] && [ ! -L $1 ] && [ -r $1 ]; then names="$names $1"',
    'elif [ -e $1 ] || [ -L $1 ]; then echo odd $1; fi; }',
    ...files.map(({ name }) => `look ${name}`),
    'wc -c $names; echo',
    archive ? `${send}; echo archive; cd ..; exec tar -cf - ${basename(folder)}` : `exec ${send}`,
  ].join('\n')
}

/**
 * The same for a box that is reused: each order names a new cgroup and starts the program once more, which alone enters
 * it. The kernel counts a cgroup's processor time for its processes to see, so it has only one run.
 * Afterwards it checks by the next process number that the program never had another process or thread; otherwise the
 * box ends. The executor checks whether anything else is left (kept-folder.ts). The filter lets nothing outlive a
 * process. Entries of /proc other than processes are looked up in advance, because their times show their first lookup.
 */
export function keptScript(host: BoxHost, program: BoxProgram, user: string, place: BoxPlace, stage: Stage): string {
  const { handOut } = program
  const enter = stage.entrances ? entranceLines(stage.entrances) : moveLines
  const as = asUser(host, user)
  const input = place.isJoined ? '/stage/pipes/input' : program.input === undefined ? '/dev/null' : '/stage/run/input'
  const output = place.isJoined ? '/stage/pipes/joint' : handOut ? '/dev/null' : '/stage/pipes/output'
  return [
    'umask 022',
    'exec 2>&3 4>&- 5<&0',
    '[ -x "$1" ] || { echo "missing $1" >&3; exit 1; }',
    ...limitLines(host, program),
    'for each in /proc/[!0-9]*; do [ -L $each ]; done',
    'last=1',
    'echo made >&3',
    'while read -r group; do',
    ...(handOut ? ['exec 4>/stage/pipes/output'] : []),
    `(exec <${input} >${output} 2>/stage/pipes/errors 4>&-`,
    ...enter,
    'echo ready >&3 || exit 1',
    `exec ${as}"$@" 3>&- 5<&-)`,
    'status=$?',
    `echo "${handOut ? 'over' : 'ended'} $status" >&3`,
    ...(handOut ? keptHandOutLines(handOut, as, enter) : countLines),
    // Numbers below 300 are used only once, so that no program can return to one by creating many processes.
    '[ $alone ] && [ $last -lt 250 ] || { echo dirty >&3; exit 0; }',
    'echo clean >&3',
    'done',
  ].join('\n')
}

/** A new process shows the next process number: the box has no /proc/sys of its own. */
const countLines = [': & now=$!; wait $now; [ $now = $((last + 2)) ] && alone=yes || alone=; last=$now']

/**
 * Without files to hand out this step is skipped, but as many processes are created, so that process numbers reveal
 * nothing to the next run.
 */
const keptHandOutLines = (handOut: HandOut, as: string, enter: readonly string[]): string[] => [
  `some=; for each in ${handOut.files.map(({ name }) => `${handOut.folder}/${name}`).join(' ')}; do`,
  '{ [ -e $each ] || [ -L $each ]; } && some=yes; done',
  'if [ -z "$some" ]; then : & now=$!; wait $now; (:); else (exec >&4 4>&-',
  ...enter,
  `exec ${as}/bin/sh -c '${handOutScript(handOut)}' 3>&- 5<&-) & now=$!; wait $now; fi`,
  '[ $now = $((last + 2)) ] && alone=yes || alone=; last=$((now + 1))',
  'exec 4>&-',
  'echo "ended $status" >&3',
]

function limitLines({ hasCgroup }: BoxHost, program: BoxProgram): string[] {
  const { limits } = program
  const kib = (bytes: number) => Math.ceil(bytes / 1024)
  const processes = hasCgroup ? 2 * limits.processes : limits.processes
  const rlimits = [
    'ulimit -c 0',
    'ulimit -n 1024',
    // Slightly above the folder's size: a program should get the error of a full folder, not the signal of this limit.
    `ulimit -f ${Math.ceil(limits.folderBytes / 512) + 2048}`,
    `ulimit -s ${kib(Math.min(limits.memoryBytes, 1024 ** 3))}`,
    `ulimit -t ${Math.ceil(limits.cpuMs / 1000) + 1}`,
    // A second limit besides the cgroup's. The kernel counts it per user, and each slot has its own users; shells name
    // the option differently.
    `{ ulimit -p ${processes} || ulimit -u ${processes}; }`,
  ]
  return rlimits.map((line) => `${line} 2>/dev/null`)
}

const entryLines = ({ entryFileCount }: BoxPlace): string[] =>
  Array.from({ length: entryFileCount }, (_, i) => descriptors.entryFiles + i).flatMap((entryFile) => [
    `echo 0 >&${entryFile} || { echo unlimited >&3; exit 1; }`,
    `exec ${entryFile}>&-`,
  ])

/** The folder in which a reused box has the executor's cgroups, one of each tree. */
export const groupFolder = '/stage/groups'

const entranceLines = ({ folders, file }: Entrances): string[] =>
  folders.map((_, i) => `echo 0 >${groupFolder}/${i}/$group/${file} || { echo unlimited >&3; exit 1; }`)

const moveLines = ['echo waiting >&3', 'read -r moved <&5 || exit 1']

/**
 * As root, the launch script remains root, with no privilege except changing its user. So the program, which has
 * another user, can't touch it, and the kernel can end it with bubblewrap (a signal to another user would be refused).
 */
const asUser = (host: BoxHost, user: string): string =>
  host.isRoot
    ? `${host.setpriv} --regid ${user} --reuid ${user} --clear-groups --bounding-set=-all --inh-caps=-all -- `
    : ''
