/** The operations of an OpenAPI document, as the reference shows them and the search finds them. */
import { Fault, unreachable } from '../api/fault.ts'

export type Member = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly text: string
}

export type Operation = {
  readonly id: string
  readonly title: string
  readonly area: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** Who may call it, what it costs: a line each. */
  readonly facts: readonly string[]
  readonly parameters: readonly Member[]
  readonly body: readonly Member[]
  readonly takesBody: boolean
}

export type Reference = {
  readonly name: string
  readonly title: string
  readonly areas: readonly { readonly name: string; readonly description: string }[]
  readonly operations: readonly Operation[]
}

// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI is as deep as it likes.
type Json = any

export async function readReference(name: string): Promise<Reference> {
  const response = await fetch(`/-/openapi/${encodeURIComponent(name)}.json`).catch(() => {
    throw unreachable()
  })
  if (!response.ok)
    throw new Fault(response.status, 'There is no such reference. The list of documents shows them all.')
  const document = (await response.json()) as Json
  const { info, tags, components } = document
  if (components.schemas.Call) {
    const area = { name: 'Operations', description: 'Each is a POST to / with its name as the method.' }
    return { name, title: 'Judge: reference', areas: [area], operations: readCalls(components.schemas) }
  }
  const title = `${info.title.replace('Guildhall ', '').replace(/^./, (first: string) => first.toUpperCase())}: reference`
  return { name, title, areas: tags, operations: readPaths(document.paths) }
}

/** All operations of the judge have one path: the body names them. */
const readCalls = (schemas: Json): Operation[] =>
  Object.keys(schemas.Call.discriminator.mapping).map((id) => {
    const { description, properties } = schemas[id]
    return {
      id,
      title: id,
      area: 'Operations',
      method: 'POST',
      path: '/',
      summary: description,
      facts: [],
      parameters: [],
      body: listMembers(properties.params),
      takesBody: true,
    }
  })

const readPaths = (paths: Json): Operation[] =>
  Object.entries(paths as Record<string, Json>).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Json>).map(([method, one]) => ({
      id: one.operationId,
      title: toTitle(one.operationId),
      area: one.tags[0],
      method: method.toUpperCase(),
      path,
      summary: one.summary,
      facts: one.description.split('\n'),
      parameters: one.parameters.map(readParameter),
      body: listMembers(one.requestBody?.content?.['application/json']?.schema),
      takesBody: one.requestBody !== undefined,
    })),
  )

const toTitle = (id: string): string => id.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase())

const readParameter = ({ name, in: place, required, schema, description = '' }: Json): Member => ({
  name,
  type: `${tellType(schema)}, in the ${place}`,
  isRequired: required === true,
  text: description,
})

/** The members of an object, or of the first object in a choice. */
function listMembers(schema: Json): Member[] {
  const choice = schema?.anyOf ?? schema?.oneOf
  if (choice) return listMembers(choice.find((one: Json) => one.properties))
  if (!schema?.properties) return []
  return Object.entries(schema.properties as Record<string, Json>).map(([name, one]) => ({
    name,
    type: tellType(one),
    isRequired: schema.required?.includes(name) ?? false,
    text: one.description ?? '',
  }))
}

const mostTold = 12

function tellType(schema: Json): string {
  if (schema.enum) {
    const told = schema.enum.slice(0, mostTold).map((value: unknown) => JSON.stringify(value))
    return `${told.join(', ')}${schema.enum.length > mostTold ? ', …' : ''}`
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choice = schema.anyOf ?? schema.oneOf
  if (choice) return [...new Set(choice.map(tellType))].join(' or ')
  if (schema.type === 'array') return schema.items ? `list of ${tellType(schema.items)}` : 'list'
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return schema.type ?? 'any'
}
