/** Webhooks of a repository. */
import { repositoryPath } from '../../api/forge.ts'
import { HookList } from '../../parts/hooks/hook-list.tsx'
import type { SettingsProps } from './props.ts'

export const Hooks = ({ repository }: SettingsProps) => (
  <HookList path={repositoryPath(repository.owner.login, repository.name, 'hooks')} />
)
