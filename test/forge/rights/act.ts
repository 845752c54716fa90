/** An act: what is drawn for it, what the model says of it, the request that it is, and what it changes when it succeeds. */
import type { RestAnswer } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import type { Credential } from './credential.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** Plain values, so that a step can be printed and done again. */
export type Params = Readonly<Record<string, Json>>

export type Request = {
  readonly method: string
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = Pick<RestAnswer, 'status' | 'body'>

/** Names of accounts differ from those of the model: many worlds live on one server. */
export type Names = {
  spell(account: string): string
  /** The account of this world that has this name, or undefined. */
  read(login: string): string | undefined
}

export type Expectation = {
  readonly statuses: readonly number[]
  /** What is wrong with what a success shows. */
  readonly complain?: ((answer: Answer) => string | undefined) | undefined
}

export type Act = {
  readonly name: string
  readonly weight: number
  /** Undefined where the world has nothing for it yet. */
  draw(world: World, random: Random): Params | undefined
  /** Undefined where the step makes no sense in this world, as when what it is about was never made. */
  expect(world: World, credential: Credential, params: Params, names: Names): Expectation | undefined
  request(params: Params, names: Names, world: World): Request
  apply?(world: World, credential: Credential, params: Params, answer: Answer): void
}

export type Step = { readonly act: string; readonly by: string; readonly params: Params }

/** An organisation's, a repository's or a person's name for an act, or undefined. */
export const drawOrganisation = (world: World, random: Random) => {
  const org = random.pick(world.organisations.keys())
  return org === undefined ? undefined : { org }
}
export const drawRepository = (world: World, random: Random) => random.pick(world.repositories.values())
export const drawPerson = (world: World, random: Random) => random.pick(world.people.keys())
export const drawTeam = (world: World, random: Random) => {
  const organisation = random.pick([...world.organisations.values()].filter(({ teams }) => teams.size > 0))
  const team = organisation && random.pick(organisation.teams.values())
  return team && { org: organisation.name, team: team.slug }
}

/** Members of a list by their logins, of this world alone. */
export const loginsOf = (names: Names, list: Json): string[] =>
  list.flatMap(({ login }: { login: string }) => names.read(login) ?? [])

/** Repositories of a list by their full names, of this world alone. */
export const repositoriesOf = (names: Names, list: Json): string[] =>
  list.flatMap(({ full_name }: { full_name: string }) => {
    const [owner = '', name = ''] = full_name.split('/')
    const account = names.read(owner)
    return account === undefined ? [] : [`${account}/${name}`]
  })

export const spellRepository = (names: Names, fullName: string): string => {
  const [owner = '', name = ''] = fullName.split('/')
  return `${names.spell(owner)}/${name}`
}
