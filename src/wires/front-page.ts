/** The front page: what a browser gets at `/-/`, to which `/` redirects, and at the `html_url`s that have no page yet. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

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
  const show = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.type('text/html; charset=utf-8').send(page)
  server.get(frontPath, show)
  // This is a data set's `consoleUrl`, which its feed links to.
  server.get<{ Params: { id: string } }>(`${frontPath}datasets/:id`, async ({ params }, reply) =>
    reply.redirect(`/v2/datasets/${encodeURIComponent(params.id)}/items?format=html`),
  )
  // A user's or a repository's `html_url` leads here.
  server.get(`${frontPath}*`, (request, reply) => show(request, reply.code(404)))
}
