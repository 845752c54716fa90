/** Problem packages, files of problems and results of sheets over plain HTTP: JSON-RPC would need Base64. */

import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Budgets, type Hold, payerOf } from '../../http/byte-budget.ts'
import { describeFile, describeTable } from '../../http/file-headers.ts'
import { onceClosed } from '../../http/once-closed.ts'
import { addCommonHeaders } from '../../http/security-headers.ts'
import { takeBodiesAsStreams } from '../../http/streamed-bodies.ts'
import { requireJudgeScope } from '../../judge/access.ts'
import type { Judge } from '../../judge/judge.ts'
import type { Limits } from '../../judge/limits.ts'
import { type PackageFormat, packageFormats } from '../../judge/packages/export/export.ts'
import type { ImportOverrides } from '../../judge/packages/packaged-problem.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { statusOf } from '../failure-status.ts'
import type { Identify } from '../identity/identify.ts'
import { type PackageFile, receivePackage } from './receiving.ts'
import { makeTransfers, type Transfer } from './transfers.ts'

type Needs = {
  readonly judge: Judge
  readonly identify: Identify
  readonly log: Log
  readonly budgets: Budgets
  openFile(): Promise<PackageFile>
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function judgePackages(server: FastifyInstance, needs: Needs): Promise<void> {
  addCommonHeaders(server)
  const { judge, identify, log, budgets, openFile } = needs
  const enter = makeTransfers()

  takeBodiesAsStreams(server, (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    // The rest of a refused body is not read.
    if (request.body !== undefined && request.body !== null) reply.header('connection', 'close')
    const failure = explainOutage(error)
    const about = { err: error, requestId: request.id }
    if (failure instanceof Failure) {
      const { retryAfterSeconds } = failure.detail
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
      if (failure.kind === 'unavailable') logOutage(log, 'error', about, 'a package could not be served')
      // 429 if the client can retry later; 403 for a permanent limit.
      const status = failure.kind === 'limited' && retryAfterSeconds !== undefined ? 429 : statusOf(failure)
      return reply.code(status).send({ message: failure.message })
    }
    log.error(about, 'a package could not be served')
    return reply
      .code(500)
      .send({ message: 'Something went wrong on the server; its log has the details.', requestId: request.id })
  })

  async function identifyJudge(request: FastifyRequest) {
    const actor = await identify(request)
    if (!actor.account)
      throw new Failure('unauthenticated', 'sign-in', 'Sign in first: send a token in Authorization: Bearer.')
    requireJudgeScope(actor)
    return actor
  }

  server.get('/-/judge/problems/:uuid/package', async (request, reply) => {
    const actor = await identifyJudge(request)
    const uuid = readUuid(request)
    const format = readFormat(request)
    await judge.packages.demandExport(actor, uuid)
    const transfer = enter(actor, () => reply.raw.destroy())
    const hold = budgets.memory.hold(payerOf(actor), () => reply.raw.destroy())
    const end = () => {
      hold.release()
      transfer.leave()
    }
    try {
      const { name, content } = await judge.packages.exportPackage(actor, uuid, hold, format)
      const stream = Readable.from(moving(content, hold, transfer))
      stream.once('close', end)
      return await reply
        .headers({
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${name}"`,
          'cache-control': 'no-store',
        })
        .send(stream)
    } catch (error) {
      end()
      throw error
    }
  })

  server.get('/-/judge/problems/:uuid/package/losses', async (request, reply) => {
    const actor = await identifyJudge(request)
    const hold = budgets.memory.hold(payerOf(actor), () => reply.raw.destroy())
    try {
      return await reply.send({
        NoteList: await judge.packages.listLosses(actor, readUuid(request), hold, readFormat(request)),
      })
    } finally {
      hold.release()
    }
  })

  for (const format of ['csv', 'xlsx'] as const)
    server.get(`/-/judge/sheets/:id/results.${format}`, async (request, reply) => {
      const actor = await identifyJudge(request)
      const { name, bytes } = await judge.sheetResults.renderFile(actor, readSheetId(request), format)
      return reply.headers({ ...describeTable(name, format), 'cache-control': 'no-store' }).send(bytes)
    })

  for (const format of ['csv', 'xlsx'] as const)
    server.get(`/-/judge/classes/:id/results.${format}`, async (request, reply) => {
      const actor = await identifyJudge(request)
      const { id } = request.params as { id: string }
      const { name, bytes } = await judge.classResults.renderFile(actor, id, format)
      return reply.headers({ ...describeTable(name, format), 'cache-control': 'no-store' }).send(bytes)
    })

  server.get('/-/judge/contests/:id/awards/:award/:file', async (request, reply) => {
    const { id, award, file } = request.params as Readonly<Record<'id' | 'award' | 'file', string>>
    // Public certificates need no sign-in.
    const actor = await identify(request)
    if (!file.endsWith('.svg')) throw new Failure('not-found', 'award-unknown', 'Certificates end with .svg.')
    const svg = await judge.certificates.render(actor, id, award, file.slice(0, -'.svg'.length))
    return reply.headers({ ...describeFile(file), 'cache-control': 'no-store' }).send(svg)
  })

  server.post('/-/judge/problems', async (request, reply) => {
    const actor = await identifyJudge(request)
    await judge.packages.demandImport(actor)
    const transfer = enter(actor, () => request.raw.destroy())
    const hold = budgets.files.hold(payerOf(actor), () => request.raw.destroy())
    const gone = new AbortController()
    onceClosed(reply.raw, () => gone.abort())
    let file: PackageFile | undefined
    try {
      file = await openFile()
      await receivePackage(request.body as Readable | undefined, file, judge.limits.archiveBytes, hold, transfer)
      // The upload is complete: the server's work from here on must not count as a slow client.
      transfer.leave()
      const overrides = readOverrides(request.query as Record<string, unknown>, judge.limits)
      // The sender may have lost their rights while they withheld the end of a large body.
      const still = await identifyJudge(request)
      const made = await judge.packages.importZip(still, file, gone.signal, overrides)
      return await reply.code(201).header('location', `/-/judge/problems/${made.uuid}`).send({
        UUID: made.uuid,
        DisplayName: made.displayName,
        TestCaseCount: made.testCount,
        FileCount: made.fileCount,
        NoteList: made.notes,
      })
    } finally {
      hold.release()
      transfer.leave()
      await file?.close()
    }
  })

  server.get('/-/judge/problems/:uuid/files', async (request) => {
    const actor = await identifyJudge(request)
    const { items } = await judge.problemFiles.list(actor, readUuid(request), {
      offset: 0,
      limit: judge.limits.problemFiles,
    })
    return { ProblemFileList: items.map(({ path, bytes }) => ({ Path: path, ByteCount: bytes })) }
  })

  server.put('/-/judge/problems/:uuid/files/*', async (request, reply) => {
    const actor = await identifyJudge(request)
    await judge.problemFiles.demandPut(actor, readUuid(request), readPath(request))
    const transfer = enter(actor, () => request.raw.destroy())
    const hold = budgets.files.hold(payerOf(actor), () => request.raw.destroy())
    try {
      const body = paid((request.body as Readable | undefined) ?? Readable.from([]), hold, transfer)
      const { path, bytes } = await judge.problemFiles.put(
        actor,
        readUuid(request),
        readPath(request),
        Readable.from(body),
      )
      return await reply.send({ Path: path, ByteCount: bytes })
    } finally {
      hold.release()
      transfer.leave()
    }
  })

  server.delete('/-/judge/problems/:uuid/files/*', async (request, reply) => {
    const actor = await identifyJudge(request)
    await judge.problemFiles.delete(actor, readUuid(request), readPath(request))
    return reply.code(204).send()
  })

  server.get('/-/judge/problems/:uuid/files/*', async (request, reply) => {
    const actor = await identifyJudge(request)
    const path = readPath(request)
    const { file, read } = await judge.problemFiles.open(actor, readUuid(request), path)
    const tag = `"${file.hash.slice(0, 32)}"`
    reply.headers({ ...describeFile(path), etag: tag, 'cache-control': 'private, no-cache' })
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    return reply.header('content-length', file.bytes).send(read())
  })
}

function readUuid(request: FastifyRequest): string {
  const { uuid } = request.params as { uuid: string }
  if (!uuidForm.test(uuid)) throw new Failure('not-found', 'problem-unknown', 'There is no such problem.')
  return uuid
}

/** `?format=legacy`; 2025-09 by default. */
function readFormat(request: FastifyRequest): PackageFormat {
  const { format = '2025-09' } = request.query as { format?: string }
  const known = packageFormats.find((one) => one === format)
  if (known) return known
  throw new Failure('invalid', 'bad-query', `format must be ${packageFormats.join(' or ')}.`)
}

function readSheetId(request: FastifyRequest): number {
  const { id } = request.params as { id: string }
  if (!/^\d{1,15}$/.test(id)) throw new Failure('not-found', 'sheet-unknown', 'There is no such sheet.')
  return Number(id)
}

/** `?held=true&timeLimit=2000&memoryLimit=268435456` override the package. */
function readOverrides(query: Record<string, unknown>, limits: Limits): ImportOverrides {
  const read = (name: string, least: number, most: number): number | undefined => {
    if (query[name] === undefined) return undefined
    const value = /^\d{1,15}$/.test(String(query[name])) ? Number(query[name]) : Number.NaN
    if (value >= least && value <= most) return value
    throw new Failure('invalid', 'bad-limit', `${name} must be a whole number from ${least} to ${most}.`)
  }
  // Unknown parameters are refused: a misspelt `held` must not publish a problem.
  const unknown = Object.keys(query).find((name) => !['held', 'timeLimit', 'memoryLimit'].includes(name))
  if (unknown !== undefined)
    throw new Failure(
      'invalid',
      'bad-query',
      `${JSON.stringify(unknown.slice(0, 80))} is not a parameter: there are held, timeLimit and memoryLimit.`,
    )
  const { held = 'false' } = query
  if (held !== 'true' && held !== 'false') throw new Failure('invalid', 'bad-query', 'held must be true or false.')
  const timeLimitMs = read('timeLimit', 1, limits.timeLimitMs)
  const memoryLimitBytes = read('memoryLimit', limits.leastMemoryLimitBytes, limits.memoryLimitBytes)
  return {
    isHeld: held === 'true',
    ...(timeLimitMs !== undefined && { timeLimitMs }),
    ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
  }
}

const readPath = (request: FastifyRequest): string => (request.params as { '*': string })['*']

/** Charges the bytes written to disk until the package is imported. */
async function* paid(body: Readable, hold: Hold, transfer: Transfer): AsyncGenerator<Buffer> {
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    transfer.move(chunk.length)
    await hold.take(chunk.length)
    yield chunk
  }
}

/** A client that keeps reading counts as active. */
async function* moving(content: AsyncGenerator<Buffer>, hold: Hold, transfer: Transfer): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    yield piece
    hold.move()
    transfer.move(piece.length)
  }
}
