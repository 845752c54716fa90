/** Proofs of access: they come from their doors alone, and no verb of the forge that writes takes less. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SignedIn } from '../../src/accounts/actor.ts'
import type { Access, PushAccess } from '../../src/forge/access/opening.ts'
import type { OrganisationAccess } from '../../src/forge/access/organisation-access.ts'
import type { OpenRepository } from '../../src/forge/access/repository.ts'
import { SelfAccess } from '../../src/forge/access/self-access.ts'
import { SiteAdmin } from '../../src/forge/access/site-admin.ts'
import type { Forge } from '../../src/forge/forge.ts'
import type { Profile } from '../../src/forge/person.ts'

type Given = {
  forge: Forge
  actor: SignedIn
  repository: OpenRepository
  organisation: Profile
  admin: Access<'admin'>
  writer: Access<'write'>
  pusher: PushAccess
  looker: Access<'admin', 'look'>
  owner: OrganisationAccess<'owner'>
  member: OrganisationAccess<'member'>
  self: SelfAccess
}

/** Never called: the compiler reads it, and each line that it should refuse is one that it does. */
export function typesHold(given: Given): unknown {
  const { forge, actor, repository, organisation, admin, writer, pusher, looker, owner, member, self } = given
  const less: [Access<'write'>, Access<'read', 'look'>, OrganisationAccess<'anyone'>] = [admin, looker, owner]
  return [
    less,
    // @ts-expect-error the right to write is not the right to administer
    () => forge.repositories.remove(writer),
    // @ts-expect-error who may push to a branch may not write to all
    () => forge.statuses.create(pusher, '', { state: 'success', context: '', targetUrl: null, description: null }),
    // @ts-expect-error to look is not to change
    () => forge.repositories.remove(looker),
    // @ts-expect-error a repository is no proof
    () => forge.repositories.remove(repository),
    // @ts-expect-error nor is what looks like one
    () => forge.repositories.remove({ ...admin, actor, repository, level: 'admin' }),
    // @ts-expect-error members do not delete an organisation
    () => forge.organisations.remove(member),
    // @ts-expect-error nor does a profile with a role written into it
    () => forge.organisations.remove({ actor, organisation, role: 'admin', isOwner: true, isNear: true }),
    // @ts-expect-error who is signed in is no admin of the server
    () => forge.people.suspend(self, 'ann', true),
    // @ts-expect-error an actor is no proof of their token's grant
    () => forge.invitations.accept(actor, 1),
    // @ts-expect-error only `demand` makes one
    () => new SelfAccess(actor),
    // @ts-expect-error only `demand` makes one
    () => new SiteAdmin(actor),
  ]
}

const src = join(import.meta.dirname, '..', '..', 'src')
const sources = globSync('**/*.ts', { cwd: src }).map((file) => ({
  file,
  text: readFileSync(join(src, file), 'utf8'),
}))

test('proofs are made by their doors, and nothing is called one that is not', () => {
  const makers = sources.filter(({ text }) => /\bnew Proof\b/.test(text)).map(({ file }) => file)
  assert.deepEqual(makers, ['forge/access/opening.ts', 'forge/access/organisation-access.ts'])
  for (const { text } of sources) assert.doesNotMatch(text, /export (?:default )?class Proof|export \{[^}]*\bProof\b/)
  const casts = sources.filter(({ text }) =>
    /\bas (?:unknown as )?(?:(?:Organisation)?Access<|PushAccess)|\bas (?:SelfAccess|SiteAdmin)\b/.test(text),
  )
  assert.deepEqual(
    casts.map(({ file }) => file),
    [],
  )
})

/** Verbs that nobody asks for: the server's own, each with its reason. */
const ofTheServer: Record<string, string> = {
  'repositories/deletion.ts recordWithin': 'part of the deletion, which takes the proof',
  'issues/issue-opening.ts openWithin': 'part of the opening of an issue or a pull, which takes the proof',
  'issues/issue-opening.ts convertWithin': 'part of the opening of a pull, which takes the proof',
}

test('no verb of the forge that writes takes less than a proof', () => {
  const proof = /\b(?:Organisation)?Access<|\bPushAccess\b|\bSelfAccess\b|\bSiteAdmin\b/
  const bare: string[] = []
  const excused = new Set<string>()
  let seen = 0
  for (const { file, text } of sources) {
    if (!/^forge\/(?:people|repositories|git|issues)\//.test(file)) continue
    for (const { name, head, body } of listVerbs(text)) {
      if (!/\bstore\s*\.write\(|\bstore\.write\b|Within\(|insertInto|updateTable|deleteFrom/.test(body)) continue
      seen++
      const verb = `${file.slice('forge/'.length)} ${name}`
      if (proof.test(head)) continue
      if (verb in ofTheServer) excused.add(verb)
      else bare.push(verb)
    }
  }
  assert.deepEqual(bare, [])
  assert.deepEqual([...excused].sort(), Object.keys(ofTheServer).sort(), 'every exception is still needed')
  assert.ok(seen > 25, `${seen} verbs that write were found`)
})

/** The members of what a factory returns: their name, what they take, what they do. */
function listVerbs(text: string): { name: string; head: string; body: string }[] {
  const start = text.search(/^ {2}return \{$/m)
  if (start < 0) return []
  const members = text
    .slice(start, text.indexOf('\n  }\n', start))
    .split(/^(?= {4}(?:async )?\w+[(:<])/m)
    .slice(1)
  return members.map((member) => {
    const name = /^ {4}(?:async )?(\w+)/.exec(member)![1]!
    const end = member.search(/\{\n|=>/)
    return { name, head: member.slice(0, end), body: member.slice(end) }
  })
}

test('no verb of the forge takes an actor that it does not look at', () => {
  const unseen = sources.filter(({ file, text }) => file.startsWith('forge/') && /\b_actor\b/.test(text))
  assert.deepEqual(
    unseen.map(({ file }) => file),
    [],
  )
})
