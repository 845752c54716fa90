/** A view: a component that fills the page for one address. It is given what the address names. */
import type { ComponentType } from 'preact'

export type ViewProps = { readonly params: Readonly<Record<string, string>> }
export type View = ComponentType<ViewProps>
