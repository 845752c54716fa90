/** The OpenAPI 3.0.3 description, generated from the schemas that validate. */
import type { Method } from './method.ts'

/**
 * Every operation has the same path and HTTP method, so OpenAPI sees one operation, with the body's `method` as
 * discriminator. `NAME` is a call and `NAME.answer` its result.
 */
export function describeMethods(methods: readonly Method[]): object {
  const schemas = methods.flatMap((method) => [
    [method.name, describeCall(method)],
    [`${method.name}.answer`, describeAnswer(method)],
  ])
  return {
    openapi: '3.0.3',
    info: { title: 'API', version: 'v0.0.0-unknown' },
    paths: {
      '/': {
        post: {
          summary: 'Carries out the operation that the body names.',
          security: [{}, { token: [] }, { cookie: [] }],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Call' } } },
          },
          responses: {
            200: {
              description: 'What the operation gives, or the error.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Answer' } } },
            },
          },
        },
      },
    },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'guildhall_session' },
      },
      schemas: {
        Call: {
          oneOf: methods.map(({ name }) => refer(name)),
          discriminator: {
            propertyName: 'method',
            mapping: Object.fromEntries(methods.map(({ name }) => [name, refer(name).$ref])),
          },
        },
        Answer: { anyOf: [...methods.map(({ name }) => refer(`${name}.answer`)), refer('Failure')] },
        Failure: failure,
        ...Object.fromEntries(schemas),
      },
    },
  }
}

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const version = { type: 'string', enum: ['2.0'] }
const id = { type: 'string', format: 'uuid' }

const describeCall = ({ name, summary, params }: Method) => ({
  type: 'object',
  description: summary,
  required: ['jsonrpc', 'id', 'method', 'params'],
  properties: { jsonrpc: version, id, method: { type: 'string', enum: [name] }, params: plain(params) },
})

const describeAnswer = ({ name, result }: Method) => ({
  type: 'object',
  description: `What ${name} gives.`,
  required: ['jsonrpc', 'id', 'result'],
  properties: { jsonrpc: version, id, result: plain(result) },
})

const failure = {
  type: 'object',
  required: ['jsonrpc', 'id', 'error'],
  properties: {
    jsonrpc: version,
    id: { ...id, nullable: true },
    error: {
      type: 'object',
      required: ['code', 'message', 'data'],
      properties: {
        code: { type: 'integer', format: 'int64' },
        message: { type: 'string' },
        data: { type: 'object' },
      },
    },
  },
}

/** TypeBox's own annotations on a schema are not part of the description. */
const plain = (schema: object): unknown => JSON.parse(JSON.stringify(schema))
