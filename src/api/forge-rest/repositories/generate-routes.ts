/** The route that makes a repository from a template. */

import type { OrganisationDoor } from '../../../forge/access/organisation-access.ts'
import { parsePermissions, personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { Forks } from '../../../forge/repositories/forks.ts'
import type { TemplateGeneration } from '../../../forge/repositories/template-generation.ts'
import { seen } from '../doors.ts'
import { created } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Flag, NullableText, Optional, Shape, Text } from '../schemas.ts'
import { presentWholeRepository } from './present-repository.ts'

const creating = { scopes: ['public_repo', 'repo'], permission: 'administration=write' } as const

type Needs = { forks: Forks; generating: TemplateGeneration; organisationDoor: OrganisationDoor }

export const generateRoutes = ({ forks, generating, organisationDoor }: Needs): readonly Route[] => [
  route('POST /repos/:owner/:repo/generate', {
    id: 'create-a-repository-using-a-template',
    summary:
      'Makes a repository of what a template has now, of one’s own or of the organisation `owner`: its default branch or all branches, each as one commit.',
    door: seen('read'),
    tokens: personalTokenKinds,
    ...creating,
    createsContent: true,
    body: Shape({
      owner: Optional(Text(39, 1)),
      name: Text(100, 1),
      description: Optional(NullableText(2_000)),
      include_all_branches: Optional(Flag),
      private: Optional(Flag),
    }),
    async handle({ actor, target, body, view }) {
      const { permission, ...rest } = creating
      const need = { ...rest, tokens: personalTokenKinds, permissions: parsePermissions(permission) }
      const isOwn = body.owner === undefined || body.owner.toLowerCase() === actor.account?.name.toLowerCase()
      const organisation = isOwn ? undefined : await organisationDoor.open(actor, body.owner!, 'member', need)
      const made = await generating.generate(target, organisation, {
        name: body.name,
        description: body.description ?? null,
        isPrivate: body.private ?? false,
        withAllBranches: body.include_all_branches ?? false,
      })
      const shown = presentWholeRepository(made, view, await forks.ancestors(actor, made))
      return created(shown, `${view.base}/repos/${made.owner.login}/${made.name}`)
    },
  }),
]
