/** Payloads for installations, sent to the installed app. */
import type { Installation } from '../../../forge/apps/installations/installation.ts'
import { presentInstallation } from '../apps/present-app.ts'
import { nodeId } from '../view.ts'
import { type PartContext, type PayloadPart, revive } from './part.ts'

type Named = { readonly id: number; readonly name: string; readonly private: boolean }

function partsOf({ source, view }: PartContext) {
  const installation = revive<Installation>(source.data.gone.installation)
  const present = (each: Named) => ({
    id: each.id,
    node_id: nodeId('Repository', each.id),
    name: each.name,
    full_name: `${installation.account.login}/${each.name}`,
    private: each.private,
  })
  const { added = [], removed = [] } = source.data.gone
  return {
    installation: presentInstallation(installation, view),
    added: (added as Named[]).map(present),
    removed: (removed as Named[]).map(present),
  }
}

const installation: PayloadPart = async (context) => {
  const { installation: shown, added } = partsOf(context)
  return { installation: shown, repositories: added, requester: null }
}

const installationRepositories: PayloadPart = async (context) => {
  const { installation: shown, added, removed } = partsOf(context)
  return {
    installation: shown,
    repository_selection: shown.repository_selection,
    repositories_added: context.action === 'added' ? added : [],
    repositories_removed: context.action === 'removed' ? removed : [],
    requester: null,
  }
}

export const installationParts = {
  installation,
  installation_repositories: installationRepositories,
} as const satisfies Record<string, PayloadPart>
