/** The props of a diff view, and the names of its lines. */
import type { ComponentChildren } from 'preact'
import type { ChangedFile } from '../../api/forge-types.ts'
import type { Layout, PatchLine, Side } from './patch.ts'

export type LinePlace = {
  readonly path: string
  /** Of the version before, or of that after. */
  readonly side: Side
  readonly line: number
}

/** One line, or all from `start` to it. */
export type LineRange = LinePlace & { readonly start?: { readonly side: Side; readonly line: number } }

/** The name by which `below` knows a line. */
export const keyOfLine = ({ path, side, line }: LinePlace): string => `${side} ${line} ${path}`

export type DiffOptions = {
  readonly layout: Layout
  /** Content below lines, by `keyOfLine`; it stays drawn while scrolling. */
  readonly below?: ReadonlyMap<string, ComponentChildren>
  /** Called when somebody comments on these lines; without it no comment button is shown. */
  onComment?(range: LineRange): void
  /** Where the whole file is seen; undefined for none. */
  linkOf?(file: ChangedFile): string | undefined
  /** Beside a file's name. */
  headOf?(file: ChangedFile): ComponentChildren
  /** Below a file's name, above its lines. */
  notesOf?(file: ChangedFile): ComponentChildren
  /** The paths of files that are folded by whoever looks at them. */
  readonly folded?: ReadonlySet<string>
}

/** The id of a file's part of the page. */
export const fileAnchor = (path: string): string => `diff-${path}`

/** In pixels, until the lines are drawn. */
export const lineHeight = 21

/** A line that did not change is one of the version after. */
export const placeOf = (path: string, line: PatchLine, side: Side): LinePlace =>
  side === 'LEFT' ? { path, side, line: line.oldNumber! } : { path, side, line: line.newNumber! }
