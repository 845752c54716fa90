/** The APIs' OpenAPI documents: an index, and a document for each API, generated at its first request. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from '../response.ts'

/** By API: judge, forge, datasets. */
export type Descriptions = { readonly [name: string]: () => object }

type Description = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
}
type Operation = { readonly operationId: string; readonly summary: string; readonly description: string }

type Sent = { readonly bytes: Buffer; readonly etag: string }

export function serveDescriptions(server: FastifyInstance, descriptions: Descriptions): void {
  const made = new Map<string, Sent>()
  const make = (name: string, describe: () => object): Sent => {
    const sent = made.get(name) ?? toSent(describe())
    made.set(name, sent)
    return sent
  }
  server.get('/-/openapi.json', (request, reply) =>
    send(
      request,
      reply,
      make('', () => listDocuments(descriptions)),
    ),
  )
  server.get('/-/openapi/:file', (request, reply) => {
    const name = (request.params as { file: string }).file.replace(/\.json$/, '')
    if (!Object.hasOwn(descriptions, name))
      return reply.code(404).send({ message: `There is no such document: see /-/openapi.json.` })
    return send(request, reply, make(name, descriptions[name]!))
  })
}

const listDocuments = (descriptions: Descriptions): object => ({
  documents: Object.entries(descriptions).map(([name, describe]) => {
    const { openapi, info } = describe() as Description
    return { name, title: info.title, version: info.version, openapi, url: `/-/openapi/${name}.json` }
  }),
})

function toSent(document: object): Sent {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` }
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, etag }: Sent): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' })
  return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(bytes)
}

/** The operations as Markdown, with a heading for each, for programs without a browser. */
export function writeOperations(document: object): string {
  const { paths } = document as Description
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { operationId, summary, description }]) =>
          `### ${operationId}\n\n${method.toUpperCase()} ${path}: ${summary}\n\n${description}\n`,
      ),
    )
    .join('\n')
}
