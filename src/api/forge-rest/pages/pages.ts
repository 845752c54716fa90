/**
 * Pages at the addresses that people open (`html_url`): browsers get the page, with status 404 if it would show nothing
 * to this user; programs get the REST response.
 */
import type { FastifyReply } from 'fastify'
import type { Actor } from '../../../accounts/actor.ts'
import type { Opening, RepositoryNeed } from '../../../forge/access/opening.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { everyTokenKind } from '../../../forge/access/required-grant.ts'
import type { AppRegistration } from '../../../forge/apps/registration/app-registration.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { Issues } from '../../../forge/issues/issues.ts'
import type { People } from '../../../forge/people/people.ts'
import { securityHeaders } from '../../../http/security-headers.ts'
import { Failure } from '../../../lib/failure.ts'
import { restSteps } from '../../../lib/rest-addresses.ts'
import type { Identify } from '../../identity/identify.ts'
import { isForPeople } from '../../response.ts'
import type { Serve } from '../pipeline/pipeline.ts'
import type { RestRequest } from '../pipeline/request-context.ts'
import { decode, readPageAddress } from './page-address.ts'

export type SendPage = (reply: FastifyReply, isThere: boolean) => Promise<FastifyReply>

export type PageNeeds = {
  readonly people: People
  readonly opening: Opening
  readonly issues: Issues
  readonly reading: GitReading
  readonly apps: Pick<AppRegistration, 'get'>
  readonly identify: Identify
  readonly sendPage: SendPage
}

export type Pages = ReturnType<typeof makePages>

const reading: RepositoryNeed = {
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: [{ name: 'contents', level: 'read' }],
  level: 'read',
  signIn: false,
  writes: false,
}

/** To choose a page's status, a branch name has at most this many segments. */
const mostRefSteps = 8

export function makePages(needs: PageNeeds) {
  const { people, opening, issues, identify, sendPage } = needs

  /** The caller. Wrong credentials count as none here; the page's own requests report them. */
  async function readActor(request: RestRequest): Promise<Actor | undefined> {
    try {
      return await identify(request)
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  /** Whether a ref and a path exist. The shorter ref wins: git has no branch below another. */
  async function hasPath(repository: OpenRepository, steps: readonly string[]): Promise<boolean> {
    for (let count = 1; count <= Math.min(steps.length, mostRefSteps); count++) {
      const sha = await needs.reading.resolve(repository, steps.slice(0, count).join('/'))
      if (!sha) continue
      const path = steps.slice(count).join('/')
      return path === '' || (!path.includes('\n') && (await needs.reading.headAt(repository, sha, path)) !== undefined)
    }
    return false
  }

  async function isThere(actor: Actor, repository: OpenRepository, sent: readonly string[]): Promise<boolean> {
    const subject = readPageAddress(sent)
    switch (subject.kind) {
      case 'nothing':
        return false
      case 'thread':
        return (await issues.get(actor, repository, subject.number)) !== undefined
      case 'commit':
        return (await needs.reading.resolve(repository, subject.name)) !== undefined
      case 'path':
        // The path of a new file does not exist yet.
        return ['new', 'upload', 'commits'].includes(sent[0]!) || hasPath(repository, subject.steps)
      default:
        return true
    }
  }

  /** A private repository must look the same as a missing one to those who may not see it. */
  async function sendOfRepository(request: RestRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [, owner = '', name = '', ...rest] = pathOf(request).split('/')
    const actor = await readActor(request)
    if (!actor || decode(owner).includes('\0') || decode(name).includes('\0')) return sendPage(reply, false)
    if (name === '') return sendPage(reply, await hasPerson(decode(owner)))
    // A clone address that is opened in a browser.
    if (name.endsWith('.git') && rest.length === 0) return redirect(reply, `/${owner}/${name.slice(0, -4)}`)
    try {
      const repository = await opening.open(actor, { owner: decode(owner), name: decode(name) }, reading)
      return await sendPage(reply, await isThere(actor, repository, rest))
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'unavailable') throw error
      const { repositoryId } = error.detail ?? {}
      if (repositoryId === undefined) return sendPage(reply, false)
      const moved = await opening.open(actor, { id: repositoryId }, reading)
      const place = [moved.owner.login, moved.name].map(encodeURIComponent)
      return redirect(reply, `/${[...place, ...rest].join('/')}`)
    }
  }

  const hasPerson = async (name: string): Promise<boolean> =>
    !name.includes('\0') && (await people.find(name)) !== undefined

  async function hasApp(request: RestRequest, slug: string): Promise<boolean> {
    const actor = await readActor(request)
    if (!actor || slug.includes('\0')) return false
    return needs.apps.get(actor, slug).then(
      () => true,
      (error) => {
        if (error instanceof Failure && error.kind === 'not-found') return false
        throw error
      },
    )
  }

  return {
    redirect,

    /** Browsers get the page of an owner or a repository, programs the REST response. */
    orPage:
      (serve: Serve): Serve =>
      async (request, reply) => {
        if (!isForPeople(request)) return serve(request, reply)
        const [, first = '', second] = pathOf(request).split('/')
        if (restSteps.has(first) && !(await hasPerson(first))) return serve(request, reply)
        if (second !== undefined) return sendOfRepository(request, reply)
        return sendPage(reply, await hasPerson(decode(first)))
      },

    /** Browsers get an app's page at the address that gives programs the app. */
    orApp:
      (serve: Serve): Serve =>
      async (request, reply) =>
        isForPeople(request)
          ? sendPage(reply, await hasApp(request, decode(pathOf(request).split('/')[2] ?? '')))
          : serve(request, reply),

    /** Browsers get an organisation's page at the address that gives programs the organisation. */
    orOrganisation:
      (serve: Serve): Serve =>
      async (request, reply) =>
        isForPeople(request)
          ? sendPage(reply, await hasPerson(decode(pathOf(request).split('/')[2] ?? '')))
          : serve(request, reply),
  }
}

const pathOf = ({ url }: RestRequest): string => url.split(/[?#]/, 1)[0]!

const redirect = (reply: FastifyReply, location: string): FastifyReply =>
  reply
    .code(302)
    .headers({ ...securityHeaders, location, vary: 'Accept' })
    .send()
