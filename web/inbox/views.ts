/** The views of the inbox. */
export { Inbox } from './inbox.tsx'
export { Watching } from './watching.tsx'
