/** Write routes of the Contest API: set a contest's start and thaw, add submissions and clarifications. */
import type { Readable } from 'node:stream'
import type { Actor } from '../../accounts/actor.ts'
import { requireSignIn } from '../../accounts/actor.ts'
import { type ByteBudget, payerOf } from '../../http/byte-budget.ts'
import { readBody } from '../../http/streamed-bodies.ts'
import { openArchive } from '../../judge/archive/archive.ts'
import type { Standing } from '../../judge/contest-access/contest-access.ts'
import type { Judge } from '../../judge/judge.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { ParseJson } from '../json/json-parsing.ts'
import { fromLanguageId } from './languages.ts'
import { type ContestObjects, presentClarification, presentContest } from './objects.ts'
import type { ApiRequest } from './reading-routes.ts'
import { readRelative, readTime } from './times.ts'

type Needs = {
  readonly judge: Judge
  readonly clock: Clock
  readonly objects: ContestObjects
  readonly budget: ByteBudget
  readonly parseJson: ParseJson
}

type Given = Readonly<Record<string, unknown>>

const mostBytes = 2 * 1024 * 1024
const invalid = (message: string) => new Failure('invalid', 'invalid-body', message)

export function makeWritingRoutes({ judge, clock, objects, budget, parseJson }: Needs) {
  async function readGiven({ request, reply, actor }: ApiRequest): Promise<Given> {
    const hold = budget.hold(payerOf(actor), () => reply.raw.destroy())
    try {
      const bytes = await readBody(request.body as Readable | undefined, mostBytes, hold)
      const value = await parseJson(actor, bytes).catch((error) => {
        throw error instanceof Failure ? error : invalid('The body is not JSON.')
      })
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      if (!isObject) throw invalid('The body must be a JSON object.')
      return value as Given
    } finally {
      hold.release()
    }
  }

  async function patchContest(call: ApiRequest, { contest, isJury }: Standing): Promise<unknown> {
    const { actor, reply } = call
    demand(isJury, 'forbidden', 'not-of-jury', 'Only the jury of this contest may do that.')
    const given = await readGiven(call)
    if (given.id === undefined) throw invalid('The id of the contest is missing.')
    demand(given.id === contest.publicId, 'conflict', 'other-id', 'The id does not match the address.')
    const names = Object.keys(given).filter((name) => name !== 'id')
    const isStart =
      names.includes('start_time') && names.every((name) => name === 'start_time' || name === 'countdown_pause_time')
    const isThaw = names.length === 1 && names[0] === 'scoreboard_thaw_time'
    if (isThaw) {
      const at = readTime(given.scoreboard_thaw_time)
      if (at === undefined) throw invalid('scoreboard_thaw_time is not a time.')
      const isPast = at <= clock.now()
      const shown = await judge.contests.scheduleThaw(actor, contest.publicId, at)
      if (!isPast) return reply.code(204).send()
      return reply.send(presentContest(shown.contest))
    }
    if (!isStart)
      throw invalid('Give start_time, with countdown_pause_time if you like, or scoreboard_thaw_time alone.')
    const startTime = given.start_time === null ? null : readTime(given.start_time)
    if (startTime === undefined) throw invalid('start_time is not a time.')
    const pause = given.countdown_pause_time ?? null
    const countdownPauseMs = pause === null ? null : readRelative(pause)
    if (countdownPauseMs === undefined) throw invalid('countdown_pause_time is not a relative time.')
    const shown = await judge.contests.update(actor, contest.publicId, { startTime, countdownPauseMs })
    return reply.send(presentContest(shown.contest))
  }

  /** The zip must hold exactly one source. */
  async function unpack(files: unknown): Promise<Buffer> {
    const [file] = Array.isArray(files) ? files : []
    const { data, mime } = (file ?? {}) as { data?: unknown; mime?: unknown }
    const isOne = Array.isArray(files) && files.length === 1 && typeof data === 'string'
    if (!isOne) throw invalid('files must be one file, a zip, with its data in base64.')
    if (mime !== undefined && mime !== 'application/zip') throw invalid('The mime of files must be application/zip.')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw invalid('The data of files is not base64.')
    const archive = await openArchive(Buffer.from(data, 'base64'), judge.limits)
    if (archive.files.length !== 1) throw invalid('The zip must hold one source file.')
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of archive.read(archive.files[0]!)) {
      length += chunk.length
      if (length > judge.limits.sourceBytes) throw invalid(`The source is over ${judge.limits.sourceBytes} bytes.`)
      chunks.push(chunk)
    }
    if (length === 0) throw invalid('The source is empty.')
    return Buffer.concat(chunks)
  }

  async function addSubmission(call: ApiRequest, standing: Standing): Promise<unknown> {
    const { actor, reply } = call
    const { contest, isJury } = standing
    const given = await readGiven(call)
    for (const name of ['id', 'contest_time'])
      if (given[name] !== undefined) throw invalid(`${name} must not be given.`)
    const text = (name: string): string => {
      const value = given[name]
      if (typeof value !== 'string' || value === '' || value.length > 256) throw invalid(`${name} is missing.`)
      return value
    }
    const entryPoint = given.entry_point === undefined || given.entry_point === null ? null : text('entry_point')
    const language = fromLanguageId(text('language_id'))
    if (language.length > judge.limits.languageLength) throw invalid('language_id is too long.')
    const draft = { problemId: text('problem_id'), language, entryPoint, content: Buffer.alloc(0) }
    // A jury member who is also in a team submits for that team if no time is given.
    const isProxy = isJury && (given.time !== undefined || standing.teamId === null)
    const content = await unpack(given.files)
    let id: number
    if (isProxy) {
      const time = readTime(given.time)
      if (time === undefined) throw invalid('time is missing, or not a time.')
      const snippet = await judge.contestSubmissions.createFor(actor, contest.publicId, {
        ...draft,
        content,
        teamId: text('team_id'),
        time,
      })
      id = snippet.id
    } else {
      if (given.time !== undefined) throw invalid('time must not be given.')
      await demandOwnTeam(standing, given.team_id)
      id = (await judge.contestSubmissions.create(actor, contest.publicId, { ...draft, content })).id
    }
    const view = { standing, accountId: actor.account?.id, isStrict: false, now: clock.now() }
    const [made] = await objects.list(view, 'submissions', [String(id)])
    return reply.code(201).header('location', `/api/contests/${contest.publicId}/submissions/${id}`).send(made)
  }

  async function demandOwnTeam(standing: Standing, id: unknown): Promise<void> {
    if (id === undefined || id === null) return
    const [own] = typeof id === 'string' ? await judge.contestReading.readTeams(standing, id) : []
    demand(own?.rowId === standing.teamId, 'forbidden', 'other-team', 'A team can submit and ask only for itself.')
  }

  async function addClarification(call: ApiRequest, standing: Standing): Promise<unknown> {
    const { actor, reply } = call
    const { contest, isJury } = standing
    const given = await readGiven(call)
    for (const name of ['id', 'time', 'contest_time'])
      if (given[name] !== undefined) throw invalid(`${name} must not be given.`)
    const { text } = given
    if (typeof text !== 'string' || text === '' || text.length > 10_000)
      throw invalid('text must have 1 to 10,000 characters.')
    if (text.includes('\0')) throw invalid('text must not hold NUL.')
    const ids = (name: string): string[] | undefined => {
      const value = given[name] ?? undefined
      const isList = Array.isArray(value) && value.length <= 1_000 && value.every((one) => typeof one === 'string')
      if (value !== undefined && !isList) throw invalid(`${name} must be a list of IDs.`)
      return value as string[] | undefined
    }
    const problemId = given.problem_id ?? null
    if (problemId !== null && typeof problemId !== 'string') throw invalid('problem_id must be an ID.')
    const reply_to = given.reply_to_id ?? null
    const replyTo = reply_to === null ? null : Number(reply_to)
    if (replyTo !== null && !(Number.isSafeInteger(replyTo) && replyTo > 0)) throw invalid('reply_to_id must be an ID.')
    if (isJury && (given.from_team_id ?? null) !== null) throw invalid('from_team_id must not be given.')
    if (!isJury) await demandOwnTeam(standing, given.from_team_id)
    const [toTeamIds, toGroupIds] = [ids('to_team_ids'), ids('to_group_ids')]
    const isToAll = isJury && toTeamIds === undefined && toGroupIds === undefined
    const made = await judge.clarifications.create(actor, contest.publicId, {
      problemId,
      category: null,
      text,
      replyTo,
      // In the Contest API, an answer or announcement without recipients is for everyone.
      toTeamIds: isToAll ? [] : toTeamIds,
      toGroupIds: isToAll ? [] : toGroupIds,
    })
    return reply
      .code(201)
      .header('location', `/api/contests/${contest.publicId}/clarifications/${made.id}`)
      .send(presentClarification({ standing, accountId: actor.account?.id, isStrict: false, now: clock.now() }, made))
  }

  return async (call: ApiRequest): Promise<unknown> => {
    const { request, steps } = call
    const actor: Actor = call.actor
    const [root, contestId, name] = steps
    if (root !== 'contests' || contestId === undefined) throw methodDenied()
    const standing = await judge.contestDoors.find(actor, contestId)
    requireSignIn(actor)
    if (request.method === 'PATCH' && steps.length === 2) return patchContest(call, standing)
    if (request.method === 'POST' && steps.length === 3 && name === 'submissions') return addSubmission(call, standing)
    if (request.method === 'POST' && steps.length === 3 && name === 'clarifications')
      return addClarification(call, standing)
    throw methodDenied()
  }
}

const methodDenied = () => new Failure('forbidden', 'method', 'This can’t be changed here, only read.')
