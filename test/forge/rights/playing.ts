/** Plays steps on a stage, beside the model, and says where the server and the model part. */
import type { Act, Answer, Step } from './act.ts'
import { actByName, acts } from './acts/acts.ts'
import { type Credential, describeCredential } from './credential.ts'
import type { Random } from './random.ts'
import type { ManualClock, Stage } from './stage.ts'

export type Breach = {
  readonly step: Step
  readonly credential: Credential
  /** The same for the same fault, whatever the names. */
  readonly signature: string
  readonly message: string
  /** It leaves the server in another state than the model. */
  readonly spoils: boolean
}

export type Played = {
  readonly breach?: Breach
  readonly wasDone: boolean
  /** The world is another after it. */
  readonly changed?: boolean
}

/** Undefined where the step makes no sense in this world: then it is left out. */
export async function playStep(stage: Stage, clock: ManualClock, step: Step): Promise<Played> {
  const { world, names, secrets } = stage
  const act = actByName.get(step.act)!
  const credential = world.credentials.get(step.by)
  const expected = credential && act.expect(world, credential, step.params, names)
  if (!credential || !expected) return { wasDone: false }
  // Ten wrong credentials within five minutes lock their address out: time goes on between them.
  if (credential.flaw) clock.advance(60_000)
  const request = act.request(step.params, names, world)
  const answer = await stage.send(credential, request)
  const isSuccess = answer.status < 300
  const spoils = isSuccess && request.method !== 'GET'
  const { statuses } = expected
  if (!statuses.includes(answer.status)) {
    const [wanted, got] = [[...new Set(statuses)].join(' or '), String(answer.status)]
    return { wasDone: true, breach: { ...report(step, credential, wanted, got, answer), spoils } }
  }
  if (!isSuccess) return { wasDone: true }
  const complaint = expected.complain?.(answer)
  if (complaint)
    return { wasDone: true, breach: { ...report(step, credential, 'another answer', complaint, answer), spoils } }
  act.apply?.(world, credential, step.params, answer)
  if (act.name === 'make a token for someone') secrets.set(step.params.name, answer.body.token)
  return { wasDone: true, changed: act.apply !== undefined }
}

function report(
  step: Step,
  credential: Credential,
  expected: string,
  got: string,
  { body }: Answer,
): Omit<Breach, 'spoils'> {
  const said = body?.message ?? body?.error?.message
  const isStatus = /^\d+$/.test(got)
  const signature = [step.act, credential.flaw ?? credential.kind, expected, isStatus ? got : ''].join(' | ')
  return { step, credential, signature, message: `expected ${expected}, got ${got}${said ? ` (${said})` : ''}` }
}

const weights = acts.map(({ weight }) => weight)
const weightSum = weights.reduce((sum, weight) => sum + weight)

function drawAct(random: Random): Act {
  let at = random.below(weightSum)
  for (const [place, act] of acts.entries()) {
    at -= weights[place]!
    if (at < 0) return act
  }
  return acts.at(-1)!
}

/**
 * Half of what changes the world is asked by one who may, so that worlds grow. Of the rest half is asked with a token that
 * has every scope, where only the person decides; what is left by any credential at all.
 */
export function drawStep(stage: Stage, random: Random): Step | undefined {
  const { world, names } = stage
  const act = drawAct(random)
  const params = act.draw(world, random)
  if (!params) return undefined
  const credentials = random.shuffle(world.credentials.values())
  const may = (credential: Credential) =>
    act.expect(world, credential, params, names)?.statuses.some((each) => each < 300)
  const wantsMay = act.apply !== undefined && random.chance(0.5)
  const isFull = ({ name, account }: Credential) => name === account
  const wantsFull = !wantsMay && random.chance(0.5)
  const by = (wantsMay ? credentials.find(may) : wantsFull ? credentials.find(isFull) : undefined) ?? credentials[0]!
  return { act: act.name, by: by.name, params }
}

/** Worlds begin with two organisations, some repositories, teams and members, so that steps have something to be about. */
export function drawBeginning(random: Random): Step[] {
  const people = random.shuffle(['ann', 'bob', 'cid', 'dee', 'eve'])
  const steps: Step[] = []
  const add = (act: string, by: string, params: Step['params']) => steps.push({ act, by, params })
  for (const [at, org] of ['acme', 'zeta'].entries()) {
    const [owner, member, other] = [people[at]!, people[at + 1]!, people[at + 2]!]
    add('make an organisation', 'admin', { org, owner })
    add('change an organisation', owner, {
      org,
      body: { default_repository_permission: random.pick(['none', 'none', 'read', 'write']) },
    })
    add('set a membership', 'admin', { org, user: member, role: 'member' })
    if (random.chance(0.5)) add('set a membership', owner, { org, user: other, role: 'member' })
    add('make a repository of an organisation', owner, { org, name: 'closed', isPrivate: true })
    add('make a repository of an organisation', owner, { org, name: 'open', isPrivate: false })
    add('make a team', owner, { org, name: 'crew', privacy: 'closed' })
    add('give a team a repository', owner, { org, team: 'crew', repository: `${org}/closed`, level: 'admin' })
    add('make a team', member, { org, name: 'side', privacy: random.pick(['closed', 'secret']) })
  }
  add('make a repository of one’s own', people[3]!, { name: 'hidden', isPrivate: true })
  add('make a repository of one’s own', people[4]!, { name: 'shown', isPrivate: false })
  return steps
}

export const describeStep = (stage: Stage, { act, by, params }: Step): string => {
  const credential = stage.world.credentials.get(by)
  return `${credential ? describeCredential(credential) : by}: ${act} ${JSON.stringify(params)}`
}
