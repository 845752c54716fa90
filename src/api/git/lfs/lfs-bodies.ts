/** Bodies of Git LFS requests, validated against a schema. */
import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { readBody } from '../../../http/streamed-bodies.ts'
import { Failure } from '../../../lib/failure.ts'
import { compileLazily, describeFault } from '../../json/json-schema.ts'
import type { LfsCall } from './lfs-route.ts'

/** Clients send a hundred objects, which take some 10 KiB; a larger body is none of theirs. */
const maxBodyBytes = 1024 * 1024

const RefSchema = Type.Optional(
  Type.Union([Type.Null(), Type.Object({ name: Type.Optional(Type.String()) })], {
    description: 'Not asked for here.',
  }),
)

const ObjectSchema = Type.Object({ oid: Type.String(), size: Type.Number() })

const BatchSchema = Type.Object({
  operation: Type.String({ enum: ['upload', 'download'] }),
  transfers: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String())])),
  ref: RefSchema,
  objects: Type.Array(ObjectSchema),
  hash_algo: Type.Optional(Type.String()),
})

const LockSchema = Type.Object({ path: Type.String({ format: 'text' }), ref: RefSchema })

const LocksSchema = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Number()),
  ref: RefSchema,
})

const UnlockSchema = Type.Object({ force: Type.Optional(Type.Boolean()), ref: RefSchema })

export type AskedObject = Static<typeof ObjectSchema>

export const readBatch = makeReader(BatchSchema)
export const readObject = makeReader(ObjectSchema)
export const readLock = makeReader(LockSchema)
export const readLocks = makeReader(LocksSchema)
export const readUnlock = makeReader(UnlockSchema)

function makeReader<S extends TSchema>(schema: S): (call: LfsCall) => Promise<Static<S>> {
  const findFaults = compileLazily(schema)
  return async ({ request, hold, parseJson }) => {
    const bytes = await readBody(request.body as Parameters<typeof readBody>[0], maxBodyBytes, hold())
    const value = await parse(bytes, parseJson)
    const [fault] = findFaults(value)
    if (!fault) return value as Static<S>
    const { field, reason } = describeFault(fault)
    throw new Failure('invalid', 'validation-failed', `${field || 'The body'} ${reason}.`)
  }
}

async function parse(bytes: Buffer, parseJson: LfsCall['parseJson']): Promise<unknown> {
  try {
    return bytes.length === 0 ? {} : await parseJson(bytes)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('invalid', 'bad-request', 'Problems parsing JSON')
  }
}
