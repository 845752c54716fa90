/** The place of a text, for its parser. */
import type { AutolinkRule } from './autolinks.ts'

/** The context of a text: where its mentions and references lead when it is rendered. */
export type RenderContext = {
  /** `https://guild.example.org`. */
  readonly origin: string
  /** `owner/name`: what `#12` is a number of. */
  readonly repository?: string
  /** Whether a line's end is a break, as in comments, or a blank, as in documents. */
  readonly breaks?: boolean
  /** Prefixes of the repository that lead elsewhere. */
  readonly autolinks?: readonly AutolinkRule[]
  /** Of names that are mentioned, those that somebody has, in lower case. Without it all are linked. */
  readonly logins?: ReadonlySet<string>
}

/** Where the parser reads its context. */
export type RenderEnvironment = { readonly context: RenderContext }
