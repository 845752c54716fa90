/** The pages on which a user authorises an app, enters a device code, and revokes an authorisation. */
import type { App } from '../../forge/apps/app.ts'
import { ofUser } from '../../forge/apps/permissions.ts'
import type { ListedGrant } from '../../forge/oauth/grants.ts'
import { escapeHtml, type Page } from '../plain-pages/plain-page.ts'
import { describePermission, describeScope } from './permission-words.ts'

const strong = (text: string): string => `<strong>${escapeHtml(text)}</strong>`

const hidden = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n')

const list = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`

function describeReach({ kind, permissions }: App, scopes: readonly string[]): string {
  if (kind === 'oauth')
    return scopes.length === 0
      ? '<p>It will be able to see only your public information.</p>'
      : `<p>It will be able to:</p>${list(scopes.map(describeScope))}`
  const own = Object.entries(ofUser(permissions)).map(([name, level]) => describePermission(name, level))
  return `<p>It may act for you where it is installed, as far as it was allowed there and you may yourself.</p>
${own.length === 0 ? '' : `<p>With your own account it will be able to:</p>${list(own)}`}`
}

type Consent = {
  readonly app: App
  readonly scopes: readonly string[]
  readonly login: string
  readonly action: string
  readonly fields: Readonly<Record<string, string | undefined>>
}

const decision = (
  { app, scopes, login, action, fields }: Consent,
  more: string,
  message: string,
): string => `${message && `<p role="alert">${escapeHtml(message)}</p>`}
<p>${strong(app.name)} by ${strong(app.owner.login)} asks to act for you. You are signed in as ${strong(login)}.</p>
${app.description && `<p>${escapeHtml(app.description)}</p>`}
${describeReach(app, scopes)}
${more}
<form method="post" action="${escapeHtml(action)}">
${hidden(fields)}
<button name="decision" value="allow">Authorize ${escapeHtml(app.name)}</button>
<button name="decision" value="deny">Cancel</button>
</form>`

export const consentPage = (consent: Consent, redirectUri: string, message = ''): Page => ({
  title: `Authorize ${consent.app.name}`,
  body: decision(consent, `<p>You will then go to <code>${escapeHtml(redirectUri)}</code>.</p>`, message),
})

export const userCodePage = (action: string, { typed = '', message = '' } = {}): Page => ({
  title: 'Connect a device',
  body: `${message && `<p role="alert">${escapeHtml(message)}</p>`}
<p>Type the code that the device shows. Never type one that somebody has sent you.</p>
<form method="post" action="${escapeHtml(action)}">
<label>Code <input class="code" name="user_code" value="${escapeHtml(typed)}" placeholder="XXXX-XXXX" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="20" autofocus></label>
<button>Continue</button>
</form>`,
})

export const deviceConsentPage = (consent: Consent, userCode: string): Page => ({
  title: `Authorize ${consent.app.name}`,
  body: decision(
    consent,
    `<p>Go on only if <code>${escapeHtml(userCode)}</code> is on a device in front of you: whoever has it will be signed in as you.</p>`,
    '',
  ),
})

export const deviceDonePage = (isAllowed: boolean): Page => ({
  title: isAllowed ? 'The device is connected' : 'The device was denied',
  body: '<p>You can close this page.</p>',
})

export const grantsPage = (
  grants: readonly (ListedGrant & { readonly proof: string })[],
  login: string,
  action: string,
): Page => ({
  title: 'Authorized apps',
  body: `<p>You are signed in as ${strong(login)}.</p>
${grants.length === 0 ? '<p>You have not authorized any apps.</p>' : grants.map((grant) => describeGrant(grant, action)).join('\n')}`,
})

const describeGrant = (
  { id, app, scopes, createdAt, proof }: ListedGrant & { readonly proof: string },
  action: string,
): string => `<section><h2>${escapeHtml(app.name)}</h2>
<p>By ${strong(app.owner.login)}, since ${createdAt.toISOString().slice(0, 10)}.</p>
${app.kind === 'oauth' && scopes.length > 0 ? list(scopes.map(describeScope)) : ''}
<form method="post" action="${escapeHtml(action)}">
${hidden({ grant: String(id), proof })}
<button aria-label="Revoke ${escapeHtml(app.name)}">Revoke</button>
</form></section>`
