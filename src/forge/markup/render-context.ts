/** The context in which a text is rendered: where its mentions and references lead. */
import type { AutolinkRule } from './autolinks.ts'

/** The file that a document is: where its relative links and pictures lead. All parts are encoded addresses. */
export type DocumentPlace = {
  /** Its folder, empty or with a slash at the end: `docs/`. */
  readonly folder: string
  /** Stands before the path of a page: `/ann/tool/blob/main/`. */
  readonly pages: string
  /** Stands before and behind the path of a picture: `/repos/ann/tool/raw/`, `?ref=main`. */
  readonly files: string
  readonly filesQuery: string
  readonly isWiki?: boolean
}

export type RenderContext = {
  /** For example `https://guild.example.org`. */
  readonly origin: string
  /** `owner/name`: the repository of `#12`. */
  readonly repository?: string
  /** Whether a line break is kept, as in comments, or becomes a blank, as in documents. */
  readonly breaks?: boolean
  readonly document?: DocumentPlace
  /** Prefixes of the repository that lead elsewhere. */
  readonly autolinks?: readonly AutolinkRule[]
  /** The mentioned names that belong to accounts, in lower case. If absent, all mentions are linked. */
  readonly logins?: ReadonlySet<string>
}

/** The parser's environment, which carries the context. */
export type RenderEnvironment = { readonly context: RenderContext }
