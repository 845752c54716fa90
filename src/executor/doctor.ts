/** Inspects whether this machine can judge, by actually trying everything that the sandbox and the languages need. */
import { makeLog } from '../lib/log.ts'
import { testLanguages } from './judging/language-self-test.ts'
import { surveyLanguages } from './languages/configuration.ts'
import { countBlocks } from './sandboxes/boxes/box-users.ts'
import { type Bubblewrap, makeBubblewrap } from './sandboxes/bubblewrap.ts'
import { adviseOnCgroups, lostWithoutCgroup } from './sandboxes/cgroups/cgroup-advice.ts'
import { findBreaches } from './sandboxes/isolation.ts'
import { findOnPath, readBwrapVersion } from './sandboxes/machine.ts'

export type MachineFinding = {
  readonly subject: string
  /** `missing`: nothing can be judged; `lost`: less exact figures or one language fewer. */
  readonly state: 'fine' | 'lost' | 'missing'
  readonly words: string
  /** The next step, if there is one. */
  readonly advice?: string
}

export type InspectionOptions = {
  readonly languagesPath?: string | undefined
  readonly without?: readonly string[]
  readonly useCgroups?: boolean
}

type Say = (subject: string, state: MachineFinding['state'], words: string, advice?: string) => void

export async function inspectMachine(options: InspectionOptions = {}): Promise<readonly MachineFinding[]> {
  const findings: MachineFinding[] = []
  const say: Say = (subject, state, words, advice) =>
    void findings.push({ subject, state, words, ...(advice !== undefined && { advice }) })

  const bwrap = findOnPath('bwrap')
  if (!bwrap) {
    say('bubblewrap', 'missing', `not found; install it with: ${installCommand()}`)
    return findings
  }
  const version = readBwrapVersion(bwrap)
  say('bubblewrap', 'fine', `${bwrap}, version ${Math.floor(version / 1000)}.${version % 1000}`)
  const survey = await surveyLanguages(options.languagesPath)
  let sandbox: Bubblewrap
  try {
    sandbox = makeBubblewrap({
      folders: survey.languages.flatMap((language) => language.folders),
      ...(options.useCgroups !== undefined && { useCgroups: options.useCgroups }),
    })
  } catch (error) {
    say('sandbox', 'missing', (error as Error).message)
    return findings
  }
  try {
    await inspectBox(sandbox, say, options.without ?? [])
    if (findings.some((finding) => finding.state === 'missing')) return findings
    const tested = await testLanguages(sandbox, survey.languages, makeLog('silent'))
    for (const { value, name, version: found, missing } of survey.findings) {
      if (missing !== null) say(name, 'lost', missing)
      else if (tested.find(value)) say(name, 'fine', found ?? '')
      else say(name, 'lost', `${found} is there but failed its self-test`)
    }
    return findings
  } finally {
    await sandbox.close()
  }
}

async function inspectBox(sandbox: Bubblewrap, say: Say, without: readonly string[]) {
  try {
    const breaches = await findBreaches(sandbox)
    for (const { meaning } of breaches) say('sandbox', 'missing', meaning)
    if (breaches.length === 0)
      say('sandbox', 'fine', 'every namespace is its own, the filter is in force, no privileges')
  } catch (error) {
    say('sandbox', 'missing', (error as Error).message)
  }
  if (process.getuid?.() === 0) say('users', 'fine', describeUsers(sandbox.users))
  if (sandbox.cgroup !== 'none') say('cgroup', 'fine', `version ${sandbox.cgroup.slice(1)}`)
  else {
    const state = without.includes('limits') ? 'lost' : 'missing'
    say('cgroup', state, `none (${sandbox.lost}): ${lostWithoutCgroup}`, adviseOnCgroups())
  }
}

function describeUsers(users: readonly number[]): string {
  const { all, taken } = countBlocks()
  const last = users.at(-1)! - users[0]! === users.length - 1 ? users.at(-1) : 'beyond'
  return `boxes run as ${users[0]} to ${last}, as no other executor's do; of ${all} blocks of user ids ${taken} are taken, this one's among them`
}

function installCommand(): string {
  const managers: [string, string][] = [
    ['apt-get', 'apt-get install bubblewrap'],
    ['dnf', 'dnf install bubblewrap'],
    ['pacman', 'pacman -S bubblewrap'],
    ['apk', 'apk add bubblewrap'],
    ['zypper', 'zypper install bubblewrap'],
  ]
  const known = managers.find(([name]) => findOnPath(name))
  return known ? `sudo ${known[1]}` : "your system's package manager"
}
