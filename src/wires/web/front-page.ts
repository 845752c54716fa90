/** What a program that does not ask for HTML gets at `/-/`: where to go on. */

export const frontPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Guildhall</title>
<h1>Guildhall</h1>
<p>This server judges programs, hosts code and keeps data sets. In a browser this is a page to work in; programs go on here.</p>
<ul>
<li>Judge: JSON-RPC 2.0 by POST to /; <a href="/-/judge/openapi.json">its description</a></li>
<li>Hosting: <a href="/-/docs/hosting">route by route</a></li>
<li>Data sets: under /v2</li>
<li>Its state: <a href="/healthz">alive</a>, <a href="/readyz">ready</a>, <a href="/metrics">figures</a></li>
</ul>
</html>
`
