/** The forge's OpenAPI 3.1 description, generated from the route declarations. */
import type { Route } from '../route.ts'
import { areas } from './areas.ts'
import { describeOperation, toTemplate } from './operation.ts'
import { securitySchemes } from './security.ts'

export function describeForge(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  // OpenAPI treats two templates that differ only in parameter names as one path: the first one is used for both.
  const templates = new Map<string, string>()
  for (const route of routes) {
    const outline = route.path.replace(/:\w+|\*/g, '{}')
    const template = templates.get(outline) ?? toTemplate(route.path)
    templates.set(outline, template)
    paths[template] ??= {}
    paths[template][route.method.toLowerCase()] = describeOperation(route, template)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guildhall forge',
      version: '2022-11-28',
      summary: 'Repositories, issues, pull requests and people over REST.',
      description: 'A part of the public platform’s REST interface. The guide is at /-/docs/forge.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }, { url: '/api/v3' }],
    tags: areas.map(({ name, description }) => ({ name, description })),
    paths,
    components: { securitySchemes, schemas: { Error: error, ValidationError: validationError }, responses },
  }
}

const text = { type: 'string' } as const
const common = {
  message: text,
  documentation_url: { type: 'string', format: 'uri', description: 'The documentation of the route or the error.' },
  status: { type: 'string', description: 'The status, as text.' },
} as const

const error = { type: 'object', required: ['message', 'documentation_url', 'status'], properties: common } as const

const validationError = {
  type: 'object',
  required: error.required,
  properties: {
    ...common,
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['resource', 'field', 'code'],
        properties: {
          resource: text,
          field: text,
          code: { enum: ['missing', 'missing_field', 'invalid', 'already_exists', 'unprocessable', 'custom'] },
          message: text,
        },
      },
    },
  },
} as const

const inJson = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})

const responses = {
  Refused: {
    description: 'Refused: not signed in, not allowed, not found, limited, or the server cannot serve it now.',
    ...inJson('Error'),
  },
  Invalid: { description: 'The body or the query is invalid.', ...inJson('ValidationError') },
}
