/**
 * Validates against the schemas of data sets, in workers: compiling a user's schema or running its patterns may take
 * any time.
 */
import { demand, Failure } from '../lib/failure.ts'
import { fieldsOf, type InvalidItem, maxReported } from './schemas/schema-validator.ts'
import type { WorkerPool, WorkerTasks } from './workers/worker-pool.ts'

/** Ajv compiles a schema into code of many times its length; longer ones end in a stack overflow or a time-out. */
const maxSchemaLength = 256 * 1024

export type SchemaValidation = ReturnType<typeof makeSchemaValidation>

export function makeSchemaValidation({ workers }: { workers: WorkerPool }) {
  /** A worker that takes too long is stopped, one that takes too much memory ends by itself: the schema's fault. */
  async function run<A extends 'check' | 'validate'>(
    owner: number,
    act: A,
    lines: Buffer,
    input: WorkerTasks[A]['input'],
  ): Promise<WorkerTasks[A]['output']> {
    try {
      return await workers.runBounded(owner, act, lines, input)
    } catch (error) {
      const { name, code } = error as { name?: string; code?: string }
      if (name !== 'AbortError' && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      throw new Failure('invalid', 'schema-validation-error', 'The schema takes too long to check: make it simpler.')
    }
  }

  return {
    /** Throws if this can't be the schema of a data set. */
    async demandSchema(owner: number, schema: unknown): Promise<void> {
      if (schema === null) return
      demand(
        typeof schema === 'object' && !Array.isArray(schema),
        'invalid',
        'invalid-value',
        'The schema of a data set must be a JSON object.',
      )
      demand(
        JSON.stringify(schema).length <= 4 * maxSchemaLength,
        'invalid',
        'invalid-value',
        `The schema is too large: ${4 * maxSchemaLength} characters at most.`,
      )
      const { fields = null } = schema as { fields?: unknown }
      if (fields === null) return
      demand(
        JSON.stringify(fields).length <= maxSchemaLength,
        'invalid',
        'invalid-value',
        `The schema's part "fields" is too large: ${maxSchemaLength} characters at most.`,
      )
      const fault = await run(owner, 'check', Buffer.alloc(1), { fields })
      const message = `The schema's part "fields" is not a JSON Schema (draft-07): ${fault}`
      demand(fault === null, 'invalid', 'invalid-value', message)
    },

    /** Throws if the schema does not allow an item. */
    async demandFit(owner: number, lines: Buffer, schema: unknown): Promise<void> {
      const fields = fieldsOf(schema)
      if (fields === null || lines.length === 0) return
      const invalidItems: InvalidItem[] = await run(owner, 'validate', Buffer.from(lines), { fields })
      const count = `${invalidItems.length}${invalidItems.length === maxReported ? ' or more' : ''}`
      const message = `${count} items do not fit the schema of this data set, item ${invalidItems[0]?.itemPosition} first.`
      demand(invalidItems.length === 0, 'invalid', 'schema-validation-error', message, { invalidItems })
    },
  }
}
