/** The route that says what is wrong with a CODEOWNERS file. */
import type { CodeOwners } from '../../../forge/pulls/owners/code-owners.ts'
import { readable } from '../doors.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'

export const codeOwnerRoutes = ({ codeOwners }: { codeOwners: CodeOwners }): readonly Route[] => [
  route('GET /repos/:owner/:repo/codeowners/errors', {
    id: 'list-codeowners-errors',
    summary: 'What is wrong with the CODEOWNERS file of a branch: patterns, and owners who may not write.',
    door: readable,
    permission: 'contents=read',
    async handle({ target, query }) {
      const { path, faults } = await codeOwners.listFaults(target, query.text('ref') ?? target.defaultBranch)
      const errors = faults.map(({ line, column, kind, source, suggestion }) => ({
        ...{ line, column, kind, source, suggestion, path },
        message: `${kind} on line ${line}: ${source}${suggestion ? `. ${suggestion}` : ''}`,
      }))
      return ok({ errors })
    },
  }),
]
