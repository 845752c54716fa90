/** `node scripts/hosting-page.ts`: writes the reference of docs/hosting.md anew from the routes. A test holds it to that. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Route } from '../src/wires/forge-rest/route.ts'
import { routes } from '../src/wires/forge-rest/routes.ts'

export const pagePath = join(import.meta.dirname, '..', 'docs', 'hosting.md')
const mark = '<!-- What follows is written by scripts/hosting-page.ts. -->\n'

export function renderPage(page: string): string {
  return page.slice(0, page.indexOf(mark)) + mark + renderCoverage() + routes.map(renderRoute).join('')
}

type Operation = { readonly tags?: readonly string[] }

/** The public platform's areas, as its own description groups them, and how much of each is served here. */
function renderCoverage(): string {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, Operation>> }
  const served = new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:\w+|\*/g, '{}')}`))
  const areas = new Map<string, { served: number; all: number }>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { tags = [] }] of Object.entries(operations)) {
      const area = areas.get(tags[0] ?? '') ?? { served: 0, all: 0 }
      const isServed = served.has(`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`)
      areas.set(tags[0] ?? '', { served: area.served + Number(isServed), all: area.all + 1 })
    }
  }
  const rows = [...areas].sort(([a], [b]) => (a < b ? -1 : 1))
  const some = rows.filter(([, area]) => area.served > 0)
  const none = rows.filter(([, area]) => area.served === 0)
  return `
## What is served

Of the public platform's areas, as its description (version 2022-11-28) groups them. Every route is listed below the table; all others answer 404 with \`reason\`, which a hidden or missing thing does not have.

| area | routes served | of |
|---|---|---|
${some.map(([name, area]) => `| ${name} | ${area.served} | ${area.all} |`).join('\n')}

## What is not served

Nothing of: ${none.map(([name]) => name).join(', ')}.

## Every route
`
}

function renderRoute(route: Route): string {
  const { charge } = route
  const path = route.path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
  const facts = [
    `Who: ${describeDoor(route)}`,
    ...(route.need.scopes.length > 0 ? [`Scopes: ${route.need.scopes.map(code).join(' or ')}`] : []),
    ...(route.permission ? [`Permissions: ${code(route.permission)}`] : []),
    ...(route.need.tokens.length > 0 ? [`Tokens: ${route.need.tokens.join(', ')}`] : []),
    `Points: ${charge.points}${charge.createsContent ? ', and it creates content' : ''}${charge.primary === 'free' ? ', and nothing of the primary limit' : ''}`,
    ...(route.pageSize ? [`Pages: ${route.pageSize.usual} by default, ${route.pageSize.most} at most`] : []),
  ]
  return `\n### ${route.id}\n\n\`${route.method} ${path}\`: ${route.summary}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n`
}

const code = (text: string): string => `\`${text}\``

const membershipes = {
  anyone: 'anyone.',
  member: 'a member of the organisation.',
  owner: 'an owner of the organisation.',
}

function describeDoor({ door }: Route): string {
  switch (door.kind) {
    case 'anyone':
      return 'anyone.'
    case 'signed-in':
      return 'one who has signed in.'
    case 'site-admin':
      return 'an admin of the server.'
    case 'organisation':
      return membershipes[door.membership ?? 'anyone']
    case 'app':
      return 'the app itself, by a JSON web token that it signed.'
    case 'client':
      return 'the app itself, by its client id and secret in Basic.'
    case 'installation':
      return 'an installation of an app, by its own token.'
    case 'owner':
      return 'who owns it: oneself, or the owners of the organisation.'
    case 'repository':
      return door.level === 'read' && !door.signIn
        ? 'those who may read the repository; anyone, where it is public.'
        : `those with the level \`${door.level}\` on the repository, signed in.`
  }
}

if (process.argv[1] === import.meta.filename) writeFileSync(pagePath, renderPage(readFileSync(pagePath, 'utf8')))
