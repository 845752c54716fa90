/** Searching issues and pulls. */

import { invalidField } from '../../../forge/failures.ts'
import { maxResults } from '../../../forge/issues/search/issue-search.ts'
import { anyone } from '../doors.ts'
import { presentIssue } from '../issues/present-issue.ts'
import { type Route, route, usualPage } from '../route.ts'

export const searchRoutes: readonly Route[] = [
  route('GET /search/issues', {
    id: 'search-issues-and-pull-requests',
    summary:
      'Issues and pulls by their words and by qualifiers, of all that the caller may read; the first 1,000. A search over everything looks at the newest 10,000 that have its longest word, and says `incomplete_results` where there are more. Of each text the first 1,000 words count.',
    spansOrganisations: true,
    door: anyone,
    limit: 'search',
    resource: 'Search',
    pageSize: usualPage,
    async handle({ forge, actor, query, page, view }) {
      const text = query.text('q')
      if (text === undefined || text.trim() === '') throw invalidField('q', 'missing', 'Say what to search for.')
      const order = {
        sort: query.oneOf('sort', ['comments', 'created', 'updated'], 'created'),
        direction: query.oneOf('order', ['asc', 'desc'], 'desc'),
      }
      const { total, isIncomplete, items } = await forge.issueSearch.search(actor, text, order, page)
      return {
        status: 200,
        total: Math.min(total, maxResults),
        body: {
          total_count: total,
          incomplete_results: isIncomplete,
          search_type: 'lexical',
          items: items.map(({ issue, repository }) => ({
            ...presentIssue(issue, repository, view),
            // Here, unlike anywhere else, the description has no null for it.
            body: issue.body ?? '',
            score: 1,
          })),
        },
      }
    },
  }),
]
