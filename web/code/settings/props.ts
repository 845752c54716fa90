/** What each part of a repository's settings is given. */
import type { Repository } from '../../api/forge-types.ts'
import type { Loaded } from '../../app/load.ts'

export type SettingsProps = { readonly repository: Repository; readonly loaded: Loaded<Repository> }
