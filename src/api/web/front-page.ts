/** The response at `/-/` for programs that do not accept HTML: links to the APIs. */

export const frontPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Guildhall</title>
<h1>Guildhall</h1>
<p>This server judges programs, hosts code and stores data sets. People use it in a browser; programs start here.</p>
<ul>
<li>Judge: JSON-RPC 2.0, POST to /; <a href="/-/openapi/judge.json">OpenAPI</a></li>
<li>Forge: REST at /; <a href="/-/docs/forge">guide and reference</a>, <a href="/-/openapi/forge.json">OpenAPI</a></li>
<li>Data sets: under /v2; <a href="/-/openapi/datasets.json">OpenAPI</a></li>
<li>State: <a href="/healthz">alive</a>, <a href="/readyz">ready</a>, <a href="/metrics">metrics</a></li>
</ul>
</html>
`
