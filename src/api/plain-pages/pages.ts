/** Plain pages for people: HTML without scripts, one small style sheet, readable on a phone. */
import { createHash } from 'node:crypto'

export type Page = {
  readonly title: string
  readonly body: string
  readonly head?: string
  /** Sending its form leads to another site. */
  readonly mayLeave?: boolean
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

const style = `
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25}
label{display:block}
input{font:inherit;display:block;box-sizing:border-box;width:100%;padding:.5rem;margin:.25rem 0 1rem}
button{font:inherit;padding:.6rem 1.2rem;margin:0 .5rem .5rem 0;cursor:pointer}
ul{padding-left:1.2rem}
[role=alert]{border-left:.3rem solid #c33;padding:.25rem .75rem}
.code{font:1.5rem ui-monospace,monospace;letter-spacing:.15em;text-transform:uppercase}
`
const styleHash = createHash('sha256').update(style).digest('base64')

export const renderPage = ({ title, body, head = '' }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>${head}<style>${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`

/**
 * Nothing is loaded, nothing frames the page, and its forms go to this server. A browser holds `form-action` against every
 * redirect that follows, so a form that leads elsewhere can't have it.
 */
export const pageHeaders = ({ mayLeave = false }: Page): Record<string, string> => ({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; ${mayLeave ? '' : "form-action 'self'; "}base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  // By the usual `no-referrer` browsers send `Origin: null` with a form, and it could not be told from another site's.
  'referrer-policy': 'same-origin',
})

export const signInPage = (action: string, message = ''): Page => ({
  title: 'Sign in',
  body: `${message && `<p role="alert">${escapeHtml(message)}</p>`}
<form method="post" action="${escapeHtml(action)}">
<label>Name <input name="name" autocomplete="username" autocapitalize="none" required maxlength="39" autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="256"></label>
<button>Sign in</button>
</form>`,
})

/** The next request must come from this server's own page: a browser keeps the session's cookie from those that another site causes. */
export const continuationPage = (address: string, title = 'One moment'): Page => ({
  title,
  head: `<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}">`,
  body: `<p><a href="${escapeHtml(address)}">Go on</a></p>`,
})

export const failurePage = (message: string): Page => ({
  title: 'This did not work',
  body: `<p role="alert">${escapeHtml(message)}</p>`,
})
