/** Data sets over this API: list, create, get, change, remove, and field statistics. */

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { type Dataset, generalAccesses } from '../../datasets/dataset.ts'
import type { DatasetChange } from '../../datasets/datasets.ts'
import { readIndexFields } from '../../datasets/indexes/definitions.ts'
import { maxDepth } from '../../datasets/items/scan-value.ts'
import { readBoolean, readInteger } from '../../datasets/query/item-query.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { originOf } from '../identity/origin.ts'
import type { ParseJson } from '../json/json-parsing.ts'
import { maxAnonymousBytes } from '../json/json-values.ts'
import { maxBodyBytes, readBody } from './body.ts'
import { presentDataset, type Viewer, writeStatistics } from './present.ts'
import { readAddress, readQuery } from './request.ts'
import type { DatasetApi, DatasetCall, Handler, Routes } from './route.ts'
import { sendWhole } from './sending.ts'

const maxListed = 1000
const maxFound = 100
const maxSearchLength = 200
const json = 'application/json; charset=utf-8'

export function makeDatasetRoutes({ datasets, baseUrl, clock, parseJson }: DatasetApi): Routes {
  const viewerOf = ({ actor, request }: DatasetCall): Viewer => ({
    actor,
    baseUrl: originOf(request, baseUrl),
    nowMs: clock.now(),
  })
  const present = async (call: DatasetCall, dataset: Dataset) => ({
    data: presentDataset(
      dataset,
      { fields: await datasets.fieldNames(dataset), indexes: await datasets.indexes(dataset) },
      viewerOf(call),
    ),
  })

  const list: Handler = async (call) => {
    const query = readQuery(call.request)
    const offset = readInteger(query, 'offset') ?? 0
    const limit = Math.min(readInteger(query, 'limit') || maxListed, maxListed)
    const desc = readBoolean(query, 'desc') ?? false
    const unnamed = readBoolean(query, 'unnamed') ?? false
    // The list must include the usage of all reads answered before.
    await datasets.saveUsage()
    const viewer = viewerOf(call)
    const text = query.get('search')?.slice(0, maxSearchLength) ?? ''
    if (text !== '') {
      // No name or title holds NUL, which PostgreSQL would refuse.
      const isPossible = !text.includes('\0')
      const found = isPossible ? await datasets.search(call.actor, text, Math.min(limit, maxFound)) : []
      const items = found.map((dataset) => presentDataset(dataset, null, viewer))
      return { data: { total: items.length, offset: 0, limit, count: items.length, desc: true, unnamed: true, items } }
    }
    const { total, items } = await datasets.list(call.actor, { offset, limit, desc, unnamed })
    const shown = items.map((dataset) => presentDataset(dataset, null, viewer))
    return { data: { total, offset, limit, count: shown.length, desc, unnamed, items: shown } }
  }

  const getOrCreate: Handler = async (call) => {
    const body = await readObject(call, parseJson)
    const draft = { name: readQuery(call.request).get('name') || null, schema: body.schema ?? null }
    const { dataset, isNew } = await datasets.getOrCreate(await call.identifyAgain(), draft)
    call.reply.code(isNew ? 201 : 200)
    return present(call, dataset)
  }

  const get: Handler = async (call) => present(call, await datasets.get(call.actor, readAddress(call.request)))

  const update: Handler = async (call) => {
    const change = readChange(await readObject(call, parseJson))
    return present(call, await datasets.update(await call.identifyAgain(), readAddress(call.request), change))
  }

  const remove: Handler = async ({ actor, request, reply }) => {
    await datasets.remove(actor, readAddress(request))
    reply.code(204).send()
    return undefined
  }

  const statistics: Handler = async (call) => {
    const found = await datasets.statistics(call.actor, readAddress(call.request))
    call.reply.type(json)
    sendWhole(call, Buffer.from(writeStatistics(found)))
    return undefined
  }

  return {
    '/datasets': { GET: list, HEAD: list, POST: getOrCreate },
    '/datasets/:datasetId': { GET: get, HEAD: get, PUT: update, DELETE: remove },
    '/datasets/:datasetId/statistics': { GET: statistics, HEAD: statistics },
  }
}

/** An empty body is an empty object. */
async function readObject(
  { actor, request, hold }: DatasetCall,
  parseJson: ParseJson,
): Promise<Record<string, unknown>> {
  const maxBytes = actor.account ? maxBodyBytes : maxAnonymousBytes
  const encoding = request.headers['content-encoding']
  const body = await readBody(request.body as Readable | undefined, encoding, hold(), maxBytes)
  demand(isUtf8(body), 'invalid', 'invalid-json', 'The body is not valid UTF-8: send JSON encoded as UTF-8.')
  if (isBlank(body)) return {}
  const value = await parse(() => parseJson(actor, body, { depth: maxDepth }), actor.account === undefined)
  demand(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    'invalid',
    'invalid-value',
    'The body must be a JSON object.',
  )
  return value as Record<string, unknown>
}

const isBlank = (body: Buffer): boolean =>
  body.toString('utf8', 0, 1024).trim() === '' && body.toString('utf8').trim() === ''

/** 413 tells an anonymous caller to sign in; a signed-in caller is told what is wrong with the value. */
async function parse(act: () => Promise<unknown>, isAnonymous: boolean): Promise<unknown> {
  try {
    return await act()
  } catch (error) {
    const { message } = error as Error
    if (!(error instanceof Failure))
      throw new Failure('invalid', 'invalid-json', `The body is not valid JSON: ${message}.`)
    const isTooLarge = isAnonymous && error.code === 'too-large'
    throw new Failure('invalid', isTooLarge ? 'request-too-large' : 'invalid-value', message)
  }
}

const maxTitleLength = 500

function readChange({ name, title, generalAccess, schema, indexes }: Record<string, unknown>): DatasetChange {
  const change: DatasetChange = {}
  const isText = (value: unknown) => typeof value === 'string' || value === null
  demand(name === undefined || isText(name), 'invalid', 'invalid-value', 'name must be text, or null for none.')
  demand(
    title === undefined || (isText(title) && ((title as string | null)?.length ?? 0) <= maxTitleLength),
    'invalid',
    'invalid-value',
    `title must be text of at most ${maxTitleLength} characters, or null for none.`,
  )
  const access = generalAccesses.find((value) => value === generalAccess)
  demand(
    generalAccess === undefined || access,
    'invalid',
    'invalid-value',
    `generalAccess must be one of ${generalAccesses.join(', ')}.`,
  )
  if (name !== undefined) change.name = name as string | null
  if (title !== undefined) change.title = cleanTitle(title as string | null)
  if (access) change.generalAccess = access
  if (schema !== undefined) change.schema = schema
  if (indexes !== undefined) change.indexes = readIndexFields(indexes)
  return change
}

/** PostgreSQL's text can't hold U+0000, and no title needs it. */
const cleanTitle = (title: string | null) => title?.replaceAll('\0', '').toWellFormed() ?? null
