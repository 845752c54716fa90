/** What judging asks of the machine: bubblewrap and the namespaces it needs, cgroups, and the languages' toolchains. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import type { Finding } from './finding.ts'
import { askProgram } from './program.ts'

const toolchains: readonly { name: string; words: readonly string[]; debian: string }[] = [
  { name: 'gcc', words: ['--version'], debian: 'gcc' },
  { name: 'g++', words: ['--version'], debian: 'g++' },
  { name: 'java', words: ['-version'], debian: 'default-jdk-headless' },
  { name: 'python3', words: ['--version'], debian: 'python3' },
  { name: 'node', words: ['--version'], debian: 'nodejs' },
  { name: 'go', words: ['version'], debian: 'golang' },
  { name: 'rustc', words: ['--version'], debian: 'rustc' },
]

/** Every namespace, as the sandbox takes them; a program that says yes proves that the kernel lets us. */
const boxWords = '--unshare-all --unshare-user --disable-userns --die-with-parent --ro-bind / / --proc /proc --dev /dev'

export async function inspectSandbox(): Promise<Finding[]> {
  const version = await askProgram('bwrap', ['--version'])
  if (!version.isWell) {
    const advice = 'Install the system package bubblewrap (Debian: apt-get install bubblewrap).'
    return [{ name: 'bubblewrap', state: 'poor', says: 'is missing: nothing can be judged here.', advice }]
  }
  const box = await askProgram('bwrap', [...boxWords.split(' '), 'true'])
  const advice = 'Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or in a container its privileges.'
  return [
    { name: 'bubblewrap', state: 'good', says: version.text.replace(/^bubblewrap /, '') },
    box.isWell
      ? { name: 'namespaces', state: 'good', says: 'every one can be made' }
      : {
          name: 'namespaces',
          state: 'poor',
          says: `can not be made (${box.text}): nothing can be judged here.`,
          advice,
        },
  ]
}

export async function inspectCgroups(): Promise<Finding[]> {
  const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers')
  const folders = isUnified
    ? [`/sys/fs/cgroup${readOwnGroup()}`]
    : ['memory', 'cpuacct', 'pids'].map((controller) => `/sys/fs/cgroup/${controller}`)
  const says = `version ${isUnified ? 2 : 1}`
  if (folders.every(isWritable)) return [{ name: 'cgroups', state: 'good', says: `${says}, can be made` }]
  const advice = 'Run as root, or with a delegated cgroup (systemd: Delegate=yes); else memory is sampled, not exact.'
  return [{ name: 'cgroups', state: 'poor', says: `${says}, can not be made here`, advice }]
}

export async function inspectToolchains(): Promise<Finding[]> {
  return Promise.all(
    toolchains.map(async ({ name, words, debian }): Promise<Finding> => {
      const { isWell, text } = await askProgram(name, words)
      if (isWell) return { name, state: 'good', says: text }
      const advice = `Install it to judge its language (Debian: apt-get install ${debian}).`
      return { name, state: 'poor', says: 'is missing', advice }
    }),
  )
}

function readOwnGroup(): string {
  try {
    return /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
