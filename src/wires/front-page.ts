/** What a browser sees at `/`, which leads to `/-/`: what this server is and where to go on. */
import type { FastifyInstance } from 'fastify'

export const frontPath = '/-/'

const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Guildhall</title>
<h1>Guildhall</h1>
<p>This server judges programs, hosts code and keeps data sets. It speaks to programs; its documents are beside its source, in docs/.</p>
<ul>
<li>Judge: JSON-RPC 2.0 by POST to /; <a href="/-/judge/openapi.json">its description</a></li>
<li>Hosting: <a href="/-/docs/hosting">route by route</a></li>
<li>Data sets: under /v2</li>
<li>Its state: <a href="/healthz">alive</a>, <a href="/readyz">ready</a>, <a href="/metrics">figures</a></li>
</ul>
</html>
`

export async function frontPage(server: FastifyInstance): Promise<void> {
  server.get(frontPath, async (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
}
