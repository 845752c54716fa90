/** Routes of the files that new repositories can begin with: licences, and paths that git ignores. */
import { notFound } from '../../../forge/failures.ts'
import {
  findIgnores,
  findLicense,
  ignoreNames,
  type License,
  licenses,
  readIgnores,
  readLicense,
} from '../../../forge/repositories/starters/starters.ts'
import { anyone } from '../doors.ts'
import { slice } from '../outcomes.ts'
import { list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { nodeId, type View } from '../view.ts'

const present = ({ key, name, spdxId }: License, { base }: View) => ({
  key,
  name,
  spdx_id: spdxId,
  url: `${base}/licenses/${key}`,
  node_id: nodeId('License', key),
})

export const starterRoutes: readonly Route[] = [
  route('GET /licenses', {
    id: 'get-all-commonly-used-licenses',
    summary: 'Licences that a new repository can begin with.',
    door: anyone,
    pageSize: usualPage,
    handle: ({ page, view }) => list(slice(licenses, page), (license) => present(license, view)),
  }),
  route('GET /licenses/:license', {
    id: 'get-a-license',
    summary: 'One of them with its text.',
    door: anyone,
    async handle({ params, view }) {
      const found = findLicense(params.license)
      if (!found) throw notFound()
      const { description, permissions, conditions, limitations, spdxId } = found
      return ok({
        ...present(found, view),
        ...{ description, permissions, conditions, limitations },
        html_url: `https://spdx.org/licenses/${spdxId}.html`,
        implementation: 'A file named LICENSE in the root of the repository holds its text.',
        body: await readLicense(found),
        featured: found.key === 'mit',
      })
    },
  }),
  route('GET /gitignore/templates', {
    id: 'get-all-gitignore-templates',
    summary: 'Names of the .gitignore files that a new repository can begin with.',
    door: anyone,
    handle: () => ok([...ignoreNames]),
  }),
  route('GET /gitignore/templates/:name', {
    id: 'get-a-gitignore-template',
    summary: 'One of them.',
    door: anyone,
    async handle({ params }) {
      const name = findIgnores(params.name)
      if (name === undefined) throw notFound()
      return ok({ name, source: await readIgnores(name) })
    },
  }),
]
