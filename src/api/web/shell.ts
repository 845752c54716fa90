/** The shell: the one HTML document of the page. It names script and style, and contains no user data. */
import type { FastifyReply } from 'fastify'
import { securityHeaders } from '../../http/security-headers.ts'
import type { Log } from '../../lib/log.ts'
import { type Bundle, findBundle } from './bundle.ts'

/**
 * No inline script or style, nothing from other hosts, and text becomes markup only through the one policy of
 * `web/parts/rendered.tsx`.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types guildhall',
].join('; ')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'Accept',
}

/** The first segments of paths under `/-/` that have a view. Any other gets the same document with 404. */
const views = new Set(
  ['', 'sign-in', 'sign-up', 'account', 'judge', 'datasets', 'docs', 'admin'].concat([
    'repositories',
    'inbox',
    'pulls',
    'issues',
    'classes',
    'sheets',
    'contests',
  ]),
)

export const isOwnView = (url: string): boolean => views.has(url.split(/[?#]/, 1)[0]!.split('/')[2] ?? '')

/** `isThere`: the view has something to show to this user. */
export async function sendShell(reply: FastifyReply, log: Log, isThere: boolean): Promise<FastifyReply> {
  reply.headers({ ...securityHeaders, ...headers }).code(isThere ? 200 : 404)
  try {
    return reply.send(writeShell(await findBundle()))
  } catch (error) {
    log.error({ err: error }, 'the page could not be made from its sources')
    return reply.code(503).type('text/plain; charset=utf-8').send(unmade)
  }
}

const unmade = 'The page could not be made from its sources: run npm start again, and see the log of the server.\n'

const address = (name: string): string => `/-/assets/${name}`

function writeShell({ scripts, style }: Bundle): string {
  const [first, ...others] = scripts
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#fbfaf8">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#15171a">
<title>Guildhall</title>
<link rel="icon" type="image/svg+xml" href="${address('icon.svg')}">
<link rel="stylesheet" href="${address(style)}">
${others.map((name) => `<link rel="modulepreload" href="${address(name)}">\n`).join('')}<script type="module" src="${address(first!)}"></script>
<body>
<div id="app"></div>
<noscript><p>This page needs JavaScript. What it does can be done by scripts as well: <a href="/-/docs/forge">see the documents</a>.</p></noscript>
</body>
</html>
`
}
