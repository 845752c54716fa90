/** The data set API's OpenAPI 3.1 description. A test requests every address and method in it. */
import { itemParameters } from '../../datasets/query/parameters.ts'
import { itemParameterTexts } from './parameter-texts.ts'

type Parameter = { readonly name: string; readonly in: string; readonly description?: string; readonly schema: object }
type Operation = {
  readonly id: string
  readonly summary: string
  readonly who: string
  readonly query?: readonly Parameter[]
  readonly body?: object
  readonly answer: string
}

const text = { type: 'string' } as const
const flag = { enum: ['1', '0', 'true', 'false'] } as const
const whole = { type: 'integer', minimum: 0 } as const
const inQuery = (name: string, schema: object, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})

const schemas: Readonly<Record<string, object>> = {
  offset: whole,
  limit: whole,
  format: { enum: ['json', 'jsonl', 'csv', 'xlsx', 'html', 'xml', 'rss', 'parquet', 'arrow'], default: 'json' },
  ...Object.fromEntries(
    [
      'desc',
      'clean',
      'skipHidden',
      'skipEmpty',
      'skipFailedPages',
      'simplified',
      'bom',
      'skipHeaderRow',
      'attachment',
    ].map((name) => [name, flag]),
  ),
}

const reading = 'Everyone who can read the data set'
const owning = 'The owner, with the scope dataset'

const addresses: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/v2/datasets': {
    get: {
      id: 'list-datasets',
      summary: 'Lists your data sets.',
      who: 'Signed-in callers',
      query: [
        inQuery('offset', whole, 'How many to skip.'),
        inQuery('limit', { ...whole, maximum: 1000 }, 'How many to list.'),
        inQuery('desc', flag, 'Newest first.'),
        inQuery('unnamed', flag, 'Include data sets without a name.'),
        inQuery(
          'search',
          text,
          'Words of the name or title: finds the newest 100 that have them, of the newest 10,000.',
        ),
      ],
      answer: 'A page of data sets.',
    },
    post: {
      id: 'get-or-create-a-dataset',
      summary: 'Creates a data set, or finds the one with this name: 201 or 200.',
      who: owning,
      query: [inQuery('name', text, 'Its name. One without a name expires 7 days after its last use.')],
      body: { type: 'object', properties: { schema: { type: 'object', description: 'fields and views.' } } },
      answer: 'The data set.',
    },
  },
  '/v2/datasets/{datasetId}': {
    get: { id: 'get-a-dataset', summary: 'Shows a data set.', who: reading, answer: 'The data set.' },
    put: {
      id: 'update-a-dataset',
      summary: 'Changes the members that are sent.',
      who: owning,
      body: {
        type: 'object',
        properties: {
          name: { type: ['string', 'null'] },
          title: { type: ['string', 'null'], maxLength: 500 },
          generalAccess: {
            enum: ['RESTRICTED', 'FOLLOW_USER_SETTING', 'ANYONE_WITH_ID_CAN_READ', 'ANYONE_WITH_NAME_CAN_READ'],
          },
          schema: { type: ['object', 'null'] },
          indexes: { type: 'array', items: text, maxItems: 8 },
        },
      },
      answer: 'The data set.',
    },
    delete: { id: 'delete-a-dataset', summary: 'Deletes a data set with its items.', who: owning, answer: 'Deleted.' },
  },
  '/v2/datasets/{datasetId}/items': {
    get: {
      id: 'get-items',
      summary: 'Exports items: filtered, sorted, transformed, in one of nine formats.',
      who: reading,
      query: itemParameters.map((name) => inQuery(name, schemas[name] ?? text, itemParameterTexts[name])),
      answer: 'The items in the format.',
    },
    post: {
      id: 'push-items',
      summary: 'Stores one object or an array of objects, all or nothing. CSV is accepted too.',
      who: owning,
      query: [
        inQuery('delimiter', text, 'CSV: what separates the cells.'),
        inQuery('guessTypes', flag, 'CSV: converts texts that look like numbers, booleans or null.'),
      ],
      body: { anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }] },
      answer: 'Stored on disk.',
    },
    delete: {
      id: 'delete-items',
      summary: 'Deletes the items and keeps the data set.',
      who: owning,
      answer: 'Deleted.',
    },
  },
  '/v2/datasets/{datasetId}/items/live': {
    get: {
      id: 'follow-items',
      summary: 'Sends new items as server-sent events.',
      who: reading,
      query: [
        inQuery('offset', whole, 'Where to start; by default at the next item that is pushed.'),
        inQuery('signature', text, 'The signature of a shared address.'),
      ],
      answer: 'A stream of events.',
    },
  },
  '/v2/datasets/{datasetId}/statistics': {
    get: {
      id: 'get-statistics',
      summary: 'Shows the minimum, the maximum, nulls and missing values of every field.',
      who: reading,
      answer: 'The statistics.',
    },
  },
  '/v2/users/me': {
    get: { id: 'get-the-caller', summary: 'Shows your own account.', who: 'Signed-in callers', answer: 'The account.' },
  },
  '/v2/users/{userId}': {
    get: {
      id: 'get-a-public-user',
      summary: 'Shows the public information of an account.',
      who: 'Anyone',
      answer: 'The account.',
    },
  },
}

export function describeDatasets(): object {
  const paths = Object.entries(addresses).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, describe(path, one)])),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guildhall data sets',
      version: '2',
      summary: 'Growing lists of JSON objects, exported in nine formats.',
      description: 'Follows Apify’s interface. The guide is at /-/docs/datasets.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Data sets', description: 'Data sets and their items.' },
      { name: 'Users', description: 'Accounts, for clients of data sets.' },
    ],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        tokenInQuery: { type: 'apiKey', in: 'query', name: 'token' },
      },
      schemas: { Error: error },
      responses: {
        Refused: {
          description: 'Refused. `error.type` names the reason; the guide lists them all.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  }
}

function describe(path: string, { id, summary, who, query = [], body, answer }: Operation): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const given = { token: [] }
  return {
    operationId: id,
    tags: [path.startsWith('/v2/users') ? 'Users' : 'Data sets'],
    summary,
    description: `Who: ${who}.`,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, description: idTexts[name], schema: text })),
      ...query,
    ],
    ...(body && { requestBody: { required: false, content: { 'application/json': { schema: body } } } }),
    security: who === reading || who === 'Anyone' ? [{}, given, { tokenInQuery: [] }] : [given, { tokenInQuery: [] }],
    responses: { '2XX': { description: answer }, '4XX': refused, 503: refused },
    'x-who': who,
  }
}

const refused = { $ref: '#/components/responses/Refused' }

const idTexts: Readonly<Record<string, string>> = {
  datasetId: 'The id, `username~name`, or `~name` for your own.',
  userId: 'The id or the name of an account.',
}

const error = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: { type: text, message: text, data: { type: 'object' } },
    },
  },
}
