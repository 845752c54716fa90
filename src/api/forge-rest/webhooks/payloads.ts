/** Composes webhook payloads: an event as this API would show it to the hook's owner. */
import type { Actor, SignedIn } from '../../../accounts/actor.ts'
import type { HookEvent } from '../../../forge/webhooks/hook-event.ts'
import type { ComposePayload } from '../../../forge/webhooks/queue/composing.ts'
import { presentOrganisation, presentUser } from '../people/present-people.ts'
import { nodeId, type View } from '../view.ts'
import { checkParts } from './check-parts.ts'
import { codeParts } from './code-parts.ts'
import { deploymentParts } from './deployment-parts.ts'
import { installationParts } from './installation-parts.ts'
import { issueParts } from './issue-parts.ts'
import { type PayloadPart, type PayloadServices, presentHookRepository } from './part.ts'
import { peopleParts } from './people-parts.ts'
import { presentWebhook } from './present-webhook.ts'
import { pullParts } from './pull-parts.ts'

const parts: Readonly<Partial<Record<HookEvent['event'], PayloadPart>>> = {
  ...checkParts,
  ...codeParts,
  ...deploymentParts,
  ...issueParts,
  ...pullParts,
  ...peopleParts,
  ...installationParts,
  ping: async ({ hook, view }) => ({
    zen: 'Keep it logically awesome.',
    hook_id: hook.id,
    hook: presentWebhook(hook, view),
  }),
}

/** Events without a repository, or whose repository may have been deleted. */
const withoutRepository: ReadonlySet<string> = new Set([
  ...['organization', 'team', 'membership', 'submission'],
  ...['installation', 'installation_repositories'],
])

/** Uses the judge's own presenter, because its API defines the format of a submission. */
export type PresentSubmission = (viewer: Actor, id: number) => Promise<object>

export const makeComposer =
  (services: PayloadServices, fixedBase: string | undefined, presentSubmission: PresentSubmission): ComposePayload =>
  async ({ event, action, source }, hook, viewer, baseUrl) => {
    const view = viewOf(fixedBase ?? baseUrl, viewer, services.ssh)
    const submission: PayloadPart = async () => ({ submission: await presentSubmission(viewer, source.subjectId ?? 0) })
    const { repositoryId } = source
    const repository =
      repositoryId === undefined ? undefined : await services.opening.find(viewer, { id: repositoryId })
    const isGone = repositoryId !== undefined && !repository
    const toldGone = isGone && event === 'repository' && action === 'deleted'
    if ((isGone && !toldGone) || repository?.level === 'none') return undefined
    if (!repository && !toldGone && !withoutRepository.has(event) && event !== 'ping') return undefined
    const sender = await services.people.getById(source.actorId)
    const part = event === 'submission' ? submission : parts[event]
    const context = { services, viewer, view, action, source, hook, repository: repository!, sender }
    const own = part && (await part(context))
    if (!own) return undefined
    const ownerId =
      source.organisationId ?? (repository?.owner.kind === 'organisation' ? repository.owner.id : undefined)
    const organisation = ownerId === undefined ? undefined : await services.people.getById(ownerId)
    return {
      ...(action !== null && { action }),
      ...(repository && { repository: presentHookRepository(repository, view) }),
      ...(organisation && { organization: presentOrganisation(organisation, view) }),
      ...(source.installationId !== undefined && { installation: presentInstallationId(source.installationId) }),
      sender: presentUser(sender, view),
      ...own,
    }
  }

const presentInstallationId = (id: number) => ({ id, node_id: nodeId('Installation', id) })

function viewOf(base: string, viewer: SignedIn, ssh: View['ssh']): View {
  return {
    origin: base.replace(/\/api\/v3$/, ''),
    base,
    version: '2022-11-28',
    // The viewer's rights are hidden from the receiver.
    isSignedIn: false,
    viewerId: viewer.account.id,
    isSiteAdmin: false,
    ssh,
  }
}
