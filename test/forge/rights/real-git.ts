/** The system's own git in a world of the model: whether it lists and pushes is what the model says of both. */
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { spellRepository } from './act.ts'
import { cloneGuards, pushGuards } from './acts/git.ts'
import { type Credential, describeCredential } from './credential.ts'
import type { Random } from './random.ts'
import type { ManualClock, Stage } from './stage.ts'
import { decide } from './truth.ts'
import { fullName } from './world.ts'

/** What came out otherwise than the model says, of so many lists and pushes. */
export async function tryGit(
  url: string,
  stage: Stage,
  clock: ManualClock,
  random: Random,
  tries: number,
): Promise<string[]> {
  const { world, names, secrets } = stage
  const nobody = world.credentials.get('nobody')!
  const work = await makeWorkingFolder()
  const wrong: string[] = []
  try {
    await work.must('commit', '--quiet', '--allow-empty', '-m', 'one')
    for (let at = 0; at < tries; at++) {
      const repository = random.pick(world.repositories.values())
      const credential = random.pick([...world.credentials.values()].filter(({ kind }) => kind !== 'session'))!
      if (!repository) break
      // git may send a wrong credential more than once.
      if (credential.flaw) clock.advance(5 * 60_000)
      const account = names.spell(credential.account ?? 'ann')
      const secret = secrets.get(credential.name)
      const remote = remoteUrl(url, spellRepository(names, fullName(repository)), secret && account, secret)
      const isPush = at % 2 === 0
      const guards = isPush ? pushGuards : cloneGuards
      // git shows its credential only when it is asked for it.
      const may = (who: Credential) => decide(guards(world, who, repository), 200).includes(200)
      const expected = may(credential) || may(nobody)
      const words = isPush ? ['push', '--quiet', remote, `HEAD:refs/heads/try-${at}`] : ['ls-remote', remote]
      const { code, output } = await work.git(...words)
      if ((code === 0) === expected) continue
      const who = describeCredential(credential)
      wrong.push(`${who}: ${words[0]} ${fullName(repository)}: ${expected ? 'refused' : 'let in'}, ${output.trim()}`)
    }
  } finally {
    await work.drop()
  }
  return wrong
}
