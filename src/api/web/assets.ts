/** The page's hashed files, sent from the disk as they were compressed at build time, and cached forever. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findBundle } from './bundle.ts'

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
]

export async function sendAsset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name } = request.params as { name: string }
  const { folder, files } = await findBundle()
  // Serves only files in the manifest: no path is built from a request.
  if (!files.includes(name)) {
    return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file: load the page again.\n')
  }
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = encodings.find((each) => new RegExp(`\\b${each.name}\\b(?!;q=0(?:\\.0*)?(?:,|$))`).test(accepted))
  const path = join(folder, `${name}${encoding?.suffix ?? ''}`)
  const { size } = await stat(path)
  reply.headers({
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'content-length': size,
    'cache-control': /-[0-9A-Za-z]{8}\./.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
    ...(encoding && { 'content-encoding': encoding.name }),
  })
  return reply.send(createReadStream(path))
}
