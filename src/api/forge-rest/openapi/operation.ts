/** Describes one route as an OpenAPI operation. */
import { type Route, usualBodyBytes } from '../route.ts'
import { areaOf } from './areas.ts'
import { describeCallers, requireSecurity } from './security.ts'

/** The published description's name for the rest of a path, by the segment before it. */
const restNames: Readonly<Record<string, string>> = {
  contents: 'path',
  raw: 'path',
  readme: 'dir',
  tags: 'tag',
  branches: 'branch',
  compare: 'basehead',
}

/** The published description's names where they are not `owner` and `repo`. */
const ofTemplate = /^\/repos\/:owner\/:repo(?=\/generate$)/

/** `/repos/:owner/:repo/contents/*` becomes `/repos/{owner}/{repo}/contents/{path}`. */
export const toTemplate = (path: string): string =>
  path
    .replace(ofTemplate, '/repos/:template_owner/:template_repo')
    .replace(/:(\w+)/g, '{$1}')
    .replace(/(\w+)\/\*$/, (_, before: string) => `${before}/{${restNames[before] ?? 'ref'}}`)

/** `template`: the path's own, or that of another route that differs only in parameter names. */
export function describeOperation(route: Route, template: string): object {
  const { id, summary, method, path, need, permission, charge, pageSize } = route
  return {
    operationId: id,
    tags: [areaOf(path)],
    summary,
    description: describeFacts(route).join('\n'),
    parameters: [...listPathParameters(template), ...(pageSize ? describePage(pageSize) : [])],
    ...describeBody(route),
    security: requireSecurity(route),
    responses: describeAnswers(method),
    'x-who': describeCallers(route),
    'x-scopes': need.scopes,
    'x-permission': permission ?? null,
    'x-tokens': need.tokens,
    'x-points': charge.points,
    'x-creates-content': charge.createsContent,
  }
}

/** Facts as text for readers; the `x-` members have the same for programs. */
function describeFacts(route: Route): string[] {
  const { need, permission, charge, pageSize } = route
  const isFree = charge.primary === 'free'
  return [
    `Who: ${describeCallers(route)}.`,
    ...(need.scopes.length > 0 ? [`Scopes: ${need.scopes.join(' or ')}.`] : []),
    ...(permission ? [`Permissions: ${permission}.`] : []),
    ...(need.tokens.length > 0 ? [`Tokens: ${need.tokens.join(', ')}.`] : []),
    `Points: ${charge.points}${charge.createsContent ? ', and it creates content' : ''}${isFree ? '; it does not count to the primary limit' : ''}.`,
    ...(pageSize ? [`Pages: ${pageSize.usual} by default, ${pageSize.most} at most.`] : []),
  ]
}

const listPathParameters = (template: string): object[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: isWhole(name) ? { type: 'integer', minimum: 1 } : { type: 'string' },
  }))

/** Every id is a number, except an app's `client_id`. */
const isWhole = (name: string): boolean => /_(?:number|id)$/.test(name) && name !== 'client_id'

function describePage({ usual, most }: { readonly usual: number; readonly most: number }): object[] {
  const per = { type: 'integer', minimum: 1, maximum: most, default: usual }
  return [
    { name: 'per_page', in: 'query', description: 'The number of results per page.', schema: per },
    {
      name: 'page',
      in: 'query',
      description: 'Which page, from 1.',
      schema: { type: 'integer', minimum: 1, default: 1 },
    },
  ]
}

function describeBody({ body, takesText, fileMib, maxBodyBytes }: Route): object {
  if (fileMib) return { requestBody: { required: true, description: 'The file itself.', content: { '*/*': {} } } }
  const isLong = maxBodyBytes > usualBodyBytes
  const description = isLong ? { description: `Up to ${maxBodyBytes / 1024 / 1024} MiB.` } : {}
  if (takesText)
    return {
      requestBody: { required: true, ...description, content: { 'text/plain': { schema: { type: 'string' } } } },
    }
  if (!body) return {}
  const isRequired = 'required' in body && Array.isArray(body.required) && body.required.length > 0
  return { requestBody: { required: isRequired, ...description, content: { 'application/json': { schema: body } } } }
}

const refused = { $ref: '#/components/responses/Refused' }
const invalid = { $ref: '#/components/responses/Invalid' }

const describeAnswers = (method: string): object => ({
  '2XX': { description: 'As on the public platform; its own description lists the members.' },
  ...(method === 'GET' ? { 304: { description: 'Nothing has changed since the `ETag` that was sent.' } } : {}),
  ...(method === 'GET' || method === 'DELETE' ? {} : { 422: invalid }),
  '4XX': refused,
  503: refused,
})
