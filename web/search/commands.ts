/** What the page can do from anywhere, by name: its places. */
import { getSession, isAdmin, isSetter } from '../app/session.ts'

export type Hit = {
  readonly href: string
  readonly title: string
  readonly note?: string
}

export function listCommands(): readonly Hit[] {
  const session = getSession()
  const place = (href: string, title: string): Hit => ({ href, title })
  const { account } = session
  return [
    place('/-/', 'Home'),
    place('/-/judge', 'Problems'),
    place('/-/judge/submissions', 'Submissions'),
    place('/-/repositories', 'Repositories'),
    place('/-/datasets', 'Data sets'),
    place('/-/docs', 'Documents'),
    ...(account
      ? [
          place('/-/inbox', 'Inbox'),
          place('/-/inbox/watching', 'Watched repositories'),
          place('/-/issues', 'My issues'),
          place('/-/pulls', 'My pull requests'),
          place('/-/judge/submissions?by=me', 'My submissions'),
          place('/-/repositories/new', 'New repository'),
          place('/-/organisations/new', 'New organisation'),
          place('/-/search', 'Search code'),
          place('/-/classes', 'Classes'),
          place(`/${account.AccountName}`, 'My profile'),
          place('/-/account', 'My account'),
          place('/-/account/tokens', 'Tokens'),
          place('/-/account/sessions', 'Sessions'),
        ]
      : [place('/-/sign-in', 'Sign in')]),
    ...(isSetter(session)
      ? [
          place('/-/judge/problems/new', 'Write a problem'),
          place('/-/judge/problems/import', 'Import a problem package'),
          place('/-/judge/results', 'Results'),
        ]
      : []),
    ...(isAdmin(session)
      ? [
          place('/-/admin/accounts', 'Admin: accounts'),
          place('/-/admin/organisations', 'Admin: organisations'),
          place('/-/admin/judging', 'Admin: judging'),
          place('/-/admin/settings', 'Admin: settings'),
        ]
      : []),
  ]
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

export const findCommands = (text: string): readonly Hit[] => {
  const words = wordsOf(text)
  return listCommands().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
}
