/** The published schemas of payloads. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { Json } from '../../support/rpc.ts'

const require = createRequire(import.meta.url)

/** What is wrong with a payload, by the schema of its event and action; nothing where it is as described. */
export function makePayloadCheck(): (event: string, payload: Json) => string[] {
  const document: Json = JSON.parse(
    readFileSync(require.resolve('@octokit/openapi/generated/api.github.com.json'), 'utf8'),
  )
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false })
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  ajv.addSchema({ $id: 'api', components: withNulls(document.components) })
  return (event, payload) => {
    const word = event.replaceAll('_', '-')
    const action = payload.action?.replaceAll('_', '-')
    const name = [`webhook-${word}-${action}`, `webhook-${word}`].find((each) => document.components.schemas[each])
    if (!name) return [`there is no schema for ${event} ${action}`]
    const validate = ajv.getSchema(`api#/components/schemas/${name}`)!
    if (validate(payload)) return []
    const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    return faults.slice(0, 10)
  }
}

/** OpenAPI 3.0 says `nullable` where JSON Schema has a type; with no type beside it, Ajv does not know what is meant. */
function withNulls(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withNulls)
  if (schema === null || typeof schema !== 'object') return schema
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withNulls(value)]),
  )
  if (nullable !== true) return nullable === undefined ? rest : { ...rest, nullable }
  if (rest.enum) rest.enum = [...rest.enum, null]
  return rest.type === undefined ? { anyOf: [rest, { type: 'null' }] } : { ...rest, nullable }
}
