/** Responses of the token endpoint, in the format that the client accepts: form, JSON or XML. */
import type { FastifyReply } from 'fastify'

export type TokenAnswer = Readonly<Record<string, string | number | undefined>>

export function sendAnswer(reply: FastifyReply, accept: string, answer: TokenAnswer, status = 200): FastifyReply {
  const pairs = Object.entries(answer).filter((pair): pair is [string, string | number] => pair[1] !== undefined)
  reply.code(status).headers({ 'cache-control': 'no-store', pragma: 'no-cache', vary: 'accept' })
  if (/[/+]json\b/i.test(accept))
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(Object.fromEntries(pairs)))
  if (/[/+]xml\b/i.test(accept) && !/text\/html/i.test(accept))
    return reply.type('application/xml; charset=utf-8').send(renderXml(pairs))
  const form = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)]))
  return reply.type('application/x-www-form-urlencoded; charset=utf-8').send(String(form))
}

const renderXml = (pairs: readonly [string, string | number][]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<OAuth>${pairs.map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`).join('')}</OAuth>\n`

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
