/** Runs the commands of git clients, with the access checks, queues and limits of git over HTTP. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Opening } from '../../../forge/access/opening.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { notFound } from '../../../forge/failures.ts'
import { onAccount } from '../../../forge/git/process/processor-accounting.ts'
import type { Exchange, Serving } from '../../../forge/git/serve/serving.ts'
import type { Wikis } from '../../../forge/git/wikis.ts'
import type { SshKeys } from '../../../forge/keys/ssh-keys.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { type ByteBudget, payerOf } from '../../../http/byte-budget.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import { explainOutage } from '../../../lib/outages/outage.ts'
import { logOutage } from '../../../lib/outages/outage-log.ts'
import { gitAccountOf, isWiki, makeGitAccess } from '../git-access.ts'
import type { CommandStreams } from './channel-streams.ts'
import { parseCommand, type SshAddress, type SshCommand } from './command.ts'
import type { SignIn } from './sign-in.ts'

export type CommandNeeds = {
  readonly opening: Opening
  readonly serving: Serving
  readonly wikis: Wikis
  readonly sshKeys: SshKeys
  readonly singleSignOn: SignOnServices
  readonly signIn: SignIn
  readonly budget: ByteBudget
  readonly log: Log
}

/** The sender of a command, and the key; `origin` is the server's address over HTTP. */
export type SshClient = { readonly fingerprint: string; readonly address: string; readonly origin: string }

type Request = { readonly params: SshAddress; readonly client: SshClient }

/** The bytes of a push that wait in its channel; a fetch sends only names. */
const pushBytes = 2 * 1024 * 1024
const fetchBytes = 256 * 1024

export function makeCommands({
  opening,
  serving: ofRepositories,
  wikis,
  sshKeys,
  singleSignOn,
  signIn,
  budget,
  log,
}: CommandNeeds) {
  const identify = ({ client }: Request) => signIn.identify(client.fingerprint, client.address)
  const { open: openAny, push } = makeGitAccess<Request>({ opening, identify, servesWikis: true })
  const plain = makeGitAccess<Request>({ opening, identify })
  const open = async (request: Request) => demandReach(await openAny(request))
  const servingOf = (request: Request) => (isWiki(request) ? wikis.serving : ofRepositories)

  const makeExchange = (streams: CommandStreams, protocol: string | undefined): Exchange => ({
    ...{ protocol, input: streams.input, isLong: true, isDuplex: true, signal: streams.signal },
    respond: () => streams.output,
    isAnswering: () => streams.isAnswering,
    releaseInput: () => streams.input.resume(),
  })

  async function held(actor: Actor, bytes: number, act: () => Promise<void>): Promise<void> {
    const hold = budget.hold(payerOf(actor))
    try {
      await hold.take(bytes)
      await onAccount(gitAccountOf(actor), act)
    } finally {
      hold.release()
    }
  }

  async function fetch(request: Request, exchange: Exchange): Promise<void> {
    const { actor, repository } = await open(request)
    const openAgain = async () => (await open(request)).repository
    await held(actor, fetchBytes, () => servingOf(request).upload(repository, { ...exchange, openAgain }))
  }

  async function receive(request: Request, exchange: Exchange): Promise<void> {
    const access = await push(request)
    const serving = servingOf(request)
    await held(access.actor, pushBytes, async () => {
      const refs = await serving.advertise(access.repository, 'receive-pack', exchange.protocol, true)
      exchange.respond().write(refs)
      const enterAgain = () => push(request)
      // The advertised refs do not count as an answer: a refusal can still be sent beside them.
      await serving.receive(access, { ...exchange, enterAgain })
    })
  }

  /** https://github.com/git-lfs/git-lfs/blob/main/docs/api/server-discovery.md#ssh */
  async function authenticateLfs(
    request: Request,
    operation: 'download' | 'upload',
    { output }: CommandStreams,
  ): Promise<void> {
    const isUpload = operation === 'upload'
    const { repository } = isUpload ? await plain.enter(request) : demandReach(await plain.open(request))
    const { fingerprint, address, origin } = request.client
    const holder = await signIn.findHolder(fingerprint, address)
    if (!holder) throw new Failure('unauthenticated', 'bad-credentials', 'This key was removed.')
    const { text, expiresAt } = await sshKeys.exchange(holder, repository, isUpload ? 'write' : 'read')
    const href = `${origin}/${repository.owner.login}/${repository.name}.git/info/lfs`
    const expiry = { expires_at: expiresAt.toISOString(), expires_in: 3600 }
    output.end(`${JSON.stringify({ href, header: { Authorization: `Bearer ${text}` }, ...expiry })}\n`)
  }

  async function carryOut(command: SshCommand, request: Request, streams: CommandStreams, protocol?: string) {
    if (command.kind === 'lfs') return authenticateLfs(request, command.operation, streams)
    const act = command.service === 'upload-pack' ? fetch : receive
    return act(request, makeExchange(streams, protocol))
  }

  async function explain(error: unknown, request: Request | undefined): Promise<string> {
    const outage = explainOutage(error)
    const failure = outage instanceof Failure ? outage : undefined
    if (!failure) log.error({ err: error }, 'a git command over SSH failed')
    else if (failure.kind === 'unavailable')
      logOutage(log, 'error', { err: error }, 'a git command over SSH could not be served')
    const needsSignOn = request && failure?.detail.signOnFor !== undefined
    const path = needsSignOn ? await singleSignOn.makeAddress(await identify(request), failure) : undefined
    const said = failure?.kind === 'not-found' ? 'Repository not found.' : (failure?.message ?? 'Server Error')
    return path ? `${said}\nAuthorize the key within an hour at ${request!.client.origin}${path}` : said
  }

  return {
    /** Closes the channel in any case. */
    async run(text: string, client: SshClient, streams: CommandStreams, protocol?: string): Promise<void> {
      const command = parseCommand(text)
      const request = command && { params: command.address, client }
      try {
        if (!command) throw new Failure('invalid', 'unknown-command', unknownCommand)
        await carryOut(command, request!, streams, protocol)
        if (!streams.output.writableEnded) streams.end(0)
      } catch (error) {
        if (streams.signal.aborted) {
          log.debug({ err: error }, 'a git exchange over SSH broke off')
          return streams.end(1)
        }
        streams.end(1, `ERROR: ${await explain(error, request)}\n`)
      }
    },
  }
}

/** A deploy key opens its own repository alone, even if everybody may read another. */
function demandReach<T extends { readonly actor: Actor; readonly repository: OpenRepository }>(opened: T): T {
  const { credential } = opened.actor
  if (credential.kind !== 'token' || credential.token.kind !== 'deploy-key') return opened
  const { repositories } = credential.token
  if (typeof repositories === 'string' || !repositories.includes(opened.repository.id)) throw notFound()
  return opened
}

const unknownCommand =
  'Only git-upload-pack, git-receive-pack and git-lfs-authenticate are served here, each with the path of a repository.'
