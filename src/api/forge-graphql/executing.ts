/** From a query's text to its response: parse, bound, validate, charge the cost, then execute field by field. */
import {
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  getVariableValues,
  OperationTypeNode,
} from 'graphql'
import type { Charge } from '../../forge/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { makeContext } from './context.ts'
import { computeCost } from './cost.ts'
import { type ParsedQuery, parseQuery } from './document.ts'
import { presentErrors } from './errors.ts'
import { type Execution, makeFieldScheduler } from './field-scheduler.ts'
import type { GraphqlAnswer, GraphqlNeeds, GraphqlRequest } from './graphql-request.ts'
import { demandLittleIntrospection } from './introspection.ts'
import { makeMutationRoot, mutations } from './mutations/mutations.ts'
import { makeGraph } from './nodes/nodes.ts'
import { demandShortVariables, readRequest } from './request.ts'
import { makeRoot } from './root.ts'
import { findFaults } from './rules.ts'
import { makeSchema } from './schema/schema.ts'
import { isReadAlone, makeSharedReads } from './shared-reads.ts'

/** Limits of one query's time and size. */
const longestMs = 10_000
const maxCpuMicros = 5_000_000
const maxFields = 500_000
const maxBytes = 16 * 1024 * 1024
/** Quotes, colon and comma of a member, and the brackets of its value. */
const punctuation = 6

/** A mutation costs five points. The request itself has already paid one for the first of a document. */
const pointsOfFirst = 4
const pointsOfOther = 5

/** One object per possible cost: the limits compare charges by identity. */
const charges = new Map<string, Charge>()

function chargeOf(points: number, contents: number): Charge {
  const key = `${points} ${contents}`
  const known = charges.get(key)
  if (known) return known
  const endpoint = 'POST /graphql'
  const made: Charge = {
    ...{ resource: 'graphql', endpoint, points, contents, primary: 'free' },
    createsContent: contents > 0,
  }
  charges.set(key, made)
  return made
}

export function makeExecuting({ services, limits, log, clock }: GraphqlNeeds) {
  const schema = makeSchema()
  const schedule = makeFieldScheduler()

  async function answer(question: GraphqlRequest): Promise<GraphqlAnswer> {
    const { query, variables: given, operationName } = readRequest(question.body)
    const parsed = parseQuery(query, operationName)
    const { operation } = parsed
    if (operation.operation === OperationTypeNode.SUBSCRIPTION)
      throw new GraphQLError('A subscription is not served here: listen to webhooks.')
    const isMutation = operation.operation === OperationTypeNode.MUTATION
    demandShortVariables(operation, given, isMutation)
    if (isMutation) await charge(question, pointsOfFirst, 0)
    const faults = findFaults(schema, parsed)
    if (faults.length > 0) return { body: { errors: presentErrors(faults, log) }, rateStatus: undefined }
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given, { maxErrors: 10 })
    if (!coerced) return { body: { errors: presentErrors(errors, log) }, rateStatus: undefined }
    const cost = computeCost(schema, parsed, coerced)
    demandLittleIntrospection(schema, parsed, coerced)
    // Charges all mutations before the first one runs: a document is executed or refused as a whole.
    const contents = cost.mutations.filter((name) => mutations[name]?.createsContent).length
    const more = (cost.mutations.length - 1) * pointsOfOther
    if (more > 0 || contents > 0) await charge(question, Math.max(0, more), contents)
    const rateStatus = await limits.chargePrimary(question.caller, 'graphql', cost.points)
    const { actor, origin } = question
    const makeOne = () => makeContext({ services, actor, origin, clock })
    const timer = makeTimer(clock)
    const root = isMutation
      ? makeMutationRoot({ acts: services, makeContext: makeOne, time: timer.time })
      : makeRoot(makeGraph(makeOne()), cost, rateStatus)
    const { result, cpuMicros } = await run(parsed, given, root, question.hasLeft, timer)
    return { body: present(result), rateStatus, cpuMicros }
  }

  async function charge({ caller }: GraphqlRequest, points: number, contents: number): Promise<void> {
    const { leave } = await limits.admit(caller, chargeOf(points, contents))
    leave(0)
  }

  async function run(
    { document, operation }: ParsedQuery,
    variableValues: object,
    rootValue: object,
    hasLeft: GraphqlRequest['hasLeft'],
    timer: Timer,
  ) {
    const ended = Promise.withResolvers<ExecutionResult>()
    const deadline = clock.now() + longestMs
    const end = (failure: Failure) => {
      execution.end()
      ended.resolve({ data: null, errors: [new GraphQLError(failure.message, { originalError: failure })] })
    }
    const execution = schedule(({ spent }) => {
      if (hasLeft()) end(gone)
      else if (spent > maxCpuMicros || clock.now() > deadline + timer.actedMs()) end(tooLong)
    })
    const executed = execution.run(() =>
      execute({
        schema,
        document,
        rootValue,
        variableValues: variableValues as Record<string, unknown>,
        operationName: operation.name?.value ?? null,
        fieldResolver: makeBoundedResolver(execution, () => end(tooMuch)),
      }),
    )
    const result = await Promise.race([executed, ended.promise])
    execution.end()
    return { result, cpuMicros: execution.spent }
  }

  /** Counts every field: a query within its cost may still produce too large a response. */
  function makeBoundedResolver(execution: Execution, end: () => void): GraphQLFieldResolver<unknown, unknown> {
    const resolve = makeSharedReads()
    let fields = 0
    let bytes = 0
    const count = (value: unknown): unknown => {
      bytes += measure(value)
      if (bytes > maxBytes) end()
      return value
    }
    return (source, args, context, info) =>
      execution.run(() => {
        bytes += Buffer.byteLength(String(info.path.key)) + punctuation
        if (++fields > maxFields) end()
        const value = resolve(source, args, context, info)
        return value instanceof Promise ? value.then(count) : count(value)
      }, isReadAlone(info))
  }

  const present = ({ data, errors }: ExecutionResult) => ({
    data: data ?? null,
    ...(errors && { errors: presentErrors(errors, log) }),
  })

  return async (question: GraphqlRequest): Promise<GraphqlAnswer> => {
    try {
      return await answer(question)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      return { body: { errors: presentErrors([error], log) }, rateStatus: undefined }
    }
  }
}

type Timer = ReturnType<typeof makeTimer>

/** Mutations are bounded by themselves, as over REST; their time does not count as that of the fields around them. */
function makeTimer(clock: Clock) {
  let acted = 0
  let begun: number | undefined
  return {
    actedMs: () => acted + (begun === undefined ? 0 : clock.now() - begun),
    async time<T>(act: Promise<T>): Promise<T> {
      begun = clock.now()
      try {
        return await act
      } finally {
        acted += clock.now() - begun
        begun = undefined
      }
    },
  }
}

/** The length as JSON: escapes and characters of several bytes count as the bytes they become. */
function measure(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(JSON.stringify(value))
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + measure(each) + 1, 2)
  return 4
}

const gone = new Failure('unavailable', 'gone', 'The client has left.')
const tooMuch = new Failure('limited', 'too-much', 'Resource limits for this query exceeded: ask for less at once.')
const tooLong = new Failure(
  'limited',
  'too-long',
  'This query takes longer than ten seconds, or five of the processor: ask for less at once.',
)
