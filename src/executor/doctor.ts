/** Inspects whether this machine can judge: everything that the sandbox and the languages need is tried for real. */
import { makeLog } from '../base/log.ts'
import { testLanguages } from './judging/language-self-test.ts'
import { surveyLanguages } from './languages/configuration.ts'
import { type Bubblewrap, makeBubblewrap } from './sandboxes/bubblewrap.ts'
import { findBreaches } from './sandboxes/isolation.ts'
import { findOnPath, readBwrapVersion } from './sandboxes/machine.ts'

export type MachineFinding = {
  readonly subject: string
  /** Missing means that nothing is judged here; lost means less exact figures or one language fewer. */
  readonly state: 'fine' | 'lost' | 'missing'
  readonly words: string
}

export async function inspectMachine(languagesPath?: string): Promise<readonly MachineFinding[]> {
  const findings: MachineFinding[] = []
  const say = (subject: string, state: MachineFinding['state'], words: string) =>
    void findings.push({ subject, state, words })

  const bwrap = findOnPath('bwrap')
  if (!bwrap) {
    say('bubblewrap', 'missing', `not found; install it with: ${installCommand()}`)
    return findings
  }
  const version = readBwrapVersion(bwrap)
  say('bubblewrap', 'fine', `${bwrap}, version ${Math.floor(version / 1000)}.${version % 1000}`)
  const survey = await surveyLanguages(languagesPath)
  let sandbox: Bubblewrap
  try {
    sandbox = makeBubblewrap({ folders: survey.languages.flatMap((language) => language.folders) })
  } catch (error) {
    say('sandbox', 'missing', (error as Error).message)
    return findings
  }
  try {
    await inspectBox(sandbox, say)
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

async function inspectBox(
  sandbox: Bubblewrap,
  say: (subject: string, state: MachineFinding['state'], words: string) => void,
) {
  try {
    const breaches = await findBreaches(sandbox)
    for (const { meaning } of breaches) say('sandbox', 'missing', meaning)
    if (breaches.length === 0)
      say('sandbox', 'fine', 'every namespace is its own, the filter is in force, no privileges')
  } catch (error) {
    say('sandbox', 'missing', (error as Error).message)
  }
  if (sandbox.cgroup !== 'none') say('cgroup', 'fine', `version ${sandbox.cgroup.slice(1)}`)
  else say('cgroup', 'lost', `none (${sandbox.lost}): CPU time and memory are sampled, and short peaks can be missed`)
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
