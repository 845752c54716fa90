/** A model of notifications in a few lines, written from the contract: random acts by random people, and what each inbox must show. */
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { makeRandom } from '../rights/random.ts'

const people = ['ann', 'bob', 'cid', 'dan'] as const
type Person = (typeof people)[number]
type Clients = Readonly<Record<Person, RestClient>>

type Following = 'none' | 'subscribed' | 'ignored' | 'muted'
type State = 'none' | 'unread' | 'read' | 'done'
type Thread = { state: State; reason: string; kept: string | null; following: Following }
type Watching = 'no' | 'yes' | 'ignores'
type Issue = { number: number; isOpen: boolean; threads: Record<Person, Thread> }

const order = ['mention', 'assign', 'author', 'comment', 'state_change', 'manual', 'subscribed']

/** Tells every person but the actor; `named` are those the act names, by reason. */
function tell(
  issue: Issue,
  actor: Person,
  watching: Record<Person, Watching>,
  own: string | undefined,
  named: Partial<Record<Person, string>>,
): void {
  for (const person of people) {
    const thread = issue.threads[person]
    const reason = named[person]
    const isQuiet = thread.following === 'ignored' || thread.following === 'muted'
    if (person === actor) {
      const kept = [own, reason === 'assign' ? reason : undefined]
        .filter((one) => one !== undefined)
        .sort((a, b) => order.indexOf(a) - order.indexOf(b))[0]
      if (!kept || (isQuiet && own !== 'comment' && own !== 'author')) continue
      Object.assign(thread, { kept, following: 'subscribed' })
      continue
    }
    if (watching[person] === 'ignores') continue
    if (isQuiet && reason !== 'mention') {
      if (thread.following === 'muted' && watching[person] === 'yes')
        Object.assign(thread, { state: 'unread', reason: 'subscribed' })
    } else if (reason) {
      Object.assign(thread, { state: 'unread', reason, kept: reason, following: 'subscribed' })
    } else if (thread.following === 'subscribed') Object.assign(thread, { state: 'unread', reason: thread.kept })
    else if (watching[person] === 'yes') Object.assign(thread, { state: 'unread', reason: 'subscribed' })
  }
}

export type WalkOptions = { readonly repository: string; readonly seed: number; readonly steps: number }

/** Answers what differed, with the acts that led to it; undefined where nothing did. */
export async function walk(clients: Clients, { repository, seed, steps }: WalkOptions): Promise<string | undefined> {
  const random = makeRandom(seed)
  const path = `/repos/${repository}`
  const watching: Record<Person, Watching> = { ann: 'yes', bob: 'no', cid: 'no', dan: 'no' }
  const issues: Issue[] = []
  const story: string[] = []

  async function must(answer: Promise<{ status: number; text: string }>): Promise<Json> {
    const { status, text, ...rest } = (await answer) as { status: number; text: string; body?: Json }
    if (status >= 300) throw new Error(`${status} ${text}\n${story.join('\n')}`)
    return rest.body
  }

  const mention = (): { body: string; named: Partial<Record<Person, string>> } => {
    const person = random.chance(0.4) ? random.pick(people) : undefined
    return person ? { body: `See, @${person}.`, named: { [person]: 'mention' } } : { body: 'Well.', named: {} }
  }

  /** The id of a thread that the person has been told of. */
  async function idOf(person: Person, issue: Issue): Promise<string | undefined> {
    if (issue.threads[person].state === 'none') return undefined
    const query = issue.threads[person].state === 'done' ? '?done=true' : '?all=true'
    const { body } = await clients[person].get(`${path}/notifications${query}`)
    return body.find(({ subject }: Json) => subject.url.endsWith(`/issues/${issue.number}`))?.id
  }

  const acts: Record<string, (person: Person, issue: Issue) => Promise<void>> = {
    async opens(person) {
      const { body, named } = mention()
      const { number } = await must(clients[person].post(`${path}/issues`, { title: 'One', body }))
      const fresh = (): Thread => ({ state: 'none', reason: '', kept: null, following: 'none' })
      const threads = { ann: fresh(), bob: fresh(), cid: fresh(), dan: fresh() }
      const issue: Issue = { number, isOpen: true, threads }
      issues.push(issue)
      tell(issue, person, watching, 'author', named)
    },
    async comments(person, issue) {
      const { body, named } = mention()
      await must(clients[person].post(`${path}/issues/${issue.number}/comments`, { body }))
      tell(issue, person, watching, 'comment', named)
    },
    async 'changes the state'(person, issue) {
      const state = issue.isOpen ? 'closed' : 'open'
      await must(clients[person].patch(`${path}/issues/${issue.number}`, { state }))
      issue.isOpen = !issue.isOpen
      tell(issue, person, watching, 'state_change', {})
    },
    async assigns(person, issue) {
      const whom = random.pick(people)!
      const assigned = `${path}/issues/${issue.number}/assignees`
      const before = (await must(clients[person].get(`${path}/issues/${issue.number}`))).assignees
      if (before.some(({ login }: Json) => login === whom)) return
      await must(clients[person].post(assigned, { assignees: [whom] }))
      tell(issue, person, watching, undefined, { [whom]: 'assign' })
    },
    async watches(person) {
      const next = random.pick(['no', 'yes', 'ignores'] as const)!
      if (next === 'no') await must(clients[person].delete(`${path}/subscription`))
      else await must(clients[person].put(`${path}/subscription`, { ignored: next === 'ignores' }))
      watching[person] = next
    },
    async reads(person, issue) {
      const id = await idOf(person, issue)
      if (!id) return
      await must(clients[person].patch(`/notifications/threads/${id}`))
      if (issue.threads[person].state === 'unread') issue.threads[person].state = 'read'
    },
    async 'is done'(person, issue) {
      const id = await idOf(person, issue)
      if (!id) return
      await must(clients[person].delete(`/notifications/threads/${id}`))
      issue.threads[person].state = 'done'
    },
    async 'reads all'(person) {
      await must(clients[person].put(`${path}/notifications`, {}))
      for (const { threads } of issues) if (threads[person].state === 'unread') threads[person].state = 'read'
    },
    async follows(person, issue) {
      const id = await idOf(person, issue)
      if (!id) return
      const ignored = random.chance(0.5)
      await must(clients[person].put(`/notifications/threads/${id}/subscription`, { ignored }))
      Object.assign(
        issue.threads[person],
        ignored ? { following: 'ignored', kept: null } : { following: 'subscribed', kept: 'manual' },
      )
    },
    async leaves(person, issue) {
      const id = await idOf(person, issue)
      if (!id) return
      await must(clients[person].delete(`/notifications/threads/${id}/subscription`))
      Object.assign(issue.threads[person], { following: 'muted', kept: null })
    },
  }

  /** What everybody sees, against the model. */
  async function compare(): Promise<string | undefined> {
    for (const person of people) {
      const shown = (body: Json) =>
        body
          .filter(({ subject }: Json) => subject.type === 'Issue')
          .map(({ subject, reason, unread }: Json) => `${subject.url.split('/').at(-1)} ${reason} ${unread}`)
          .sort()
      const expected = (...states: State[]) =>
        issues
          .filter(({ threads }) => states.includes(threads[person].state))
          .map(({ number, threads }) => `${number} ${threads[person].reason} ${threads[person].state === 'unread'}`)
          .sort()
      const lists = [
        ['', expected('unread')],
        ['&all=true', expected('unread', 'read')],
        ['&done=true', expected('done')],
      ] as const
      for (const [query, wanted] of lists) {
        const { body } = await clients[person].get(`${path}/notifications?per_page=100${query}`)
        const found = shown(body)
        if (JSON.stringify(found) !== JSON.stringify(wanted))
          return `${person}${query}: ${found.join(', ')} where the model has ${wanted.join(', ')}\n${story.join('\n')}`
      }
    }
    return undefined
  }

  for (let step = 0; step < steps; step++) {
    const person = random.pick(people)!
    const name = issues.length === 0 || (issues.length < 12 && random.chance(0.1)) ? 'opens' : random.pick(actNames)!
    const issue = issues.length > 0 ? random.pick(issues) : undefined
    story.push(`${person} ${name} ${issue ? `#${issue.number}` : ''}`)
    await acts[name]!(person, issue!)
    if (step % 5 === 4) {
      const wrong = await compare()
      if (wrong) return `seed ${seed}: ${wrong}`
    }
  }
  return undefined
}

const actNames = [
  'comments',
  'comments',
  'changes the state',
  'assigns',
  'watches',
  'reads',
  'is done',
  'reads all',
  'follows',
  'leaves',
] as const

/** The repository of the walk: ann's, and all may triage it; nobody but ann watches it. */
export async function prepare(clients: Clients, name: string): Promise<string> {
  await clients.ann.post('/user/repos', { name })
  for (const login of ['bob', 'cid', 'dan'] as const) {
    const { body } = await clients.ann.put(`/repos/ann/${name}/collaborators/${login}`, { permission: 'push' })
    await clients[login].patch(`/user/repository_invitations/${body.id}`)
    await clients[login].delete(`/repos/ann/${name}/subscription`)
    for (const { id } of (await clients[login].get(`/repos/ann/${name}/notifications`)).body) {
      await clients[login].delete(`/notifications/threads/${id}`)
    }
  }
  return `ann/${name}`
}
