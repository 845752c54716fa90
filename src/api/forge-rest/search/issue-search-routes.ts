/** Searching issues and pulls. */
import type { IssueSearch } from '../../../forge/issues/search/issue-search.ts'
import { anyone } from '../doors.ts'
import { presentIssue } from '../issues/present-issue.ts'
import { type Route, route, usualPage } from '../route.ts'
import { answerSearch, demandQuery, readDirection } from './search-answer.ts'

export const searchRoutes = ({ issueSearch }: { issueSearch: IssueSearch }): readonly Route[] => [
  route('GET /search/issues', {
    id: 'search-issues-and-pull-requests',
    summary:
      'Issues and pulls by their words and by qualifiers, of all that the caller may read; the first 1,000. A search over everything looks at the newest 10,000 that have its longest word, and says `incomplete_results` where there are more. Of each text the first 1,000 words count.',
    spansOrganisations: true,
    door: anyone,
    limit: 'search',
    resource: 'Search',
    pageSize: usualPage,
    async handle(call) {
      const { actor, query, page, view } = call
      const order = {
        sort: query.oneOf('sort', ['comments', 'created', 'updated'], 'created'),
        direction: readDirection(query),
      }
      const found = await issueSearch.search(actor, demandQuery(query), order, page)
      return answerSearch(
        call,
        found,
        ({ issue, repository }) => ({
          ...presentIssue(issue, repository, view),
          // Unlike elsewhere, null is not allowed in the description here.
          body: issue.body ?? '',
        }),
        ({ issue, repository: { owner, name } }) => ({
          type: 'Issue',
          url: `${view.base}/repos/${owner.login}/${name}/issues/${issue.number}`,
          texts: [
            { property: 'title', text: issue.title },
            { property: 'body', text: issue.body },
          ],
        }),
        { search_type: 'lexical' },
      )
    },
  }),
]
