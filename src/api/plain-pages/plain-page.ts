/** Plain pages for people: HTML without scripts, with one small style sheet, readable on a phone. */
import { createHash } from 'node:crypto'

export type Page = {
  readonly title: string
  readonly body: string
  readonly head?: string
  /** Submitting its form redirects to another site. */
  readonly mayLeave?: boolean
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

const mark =
  '<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1f5f54"/><path d="M6 13 16 6l10 7v2H6zM8 17h3v7H8zm6.5 0h3v7h-3zM21 17h3v7h-3zM6 25h20v2H6z" fill="#fff"/></svg>'

/** The colours and shapes of `web/styles` that these pages need: they load nothing. */
const style = `
:root{color-scheme:light dark;--paper:#fbfaf8;--card:#fff;--ink:#1c1b19;--soft:#5f5b53;--line:#e3dfd6;--edge:#8d887d;--accent:#1f5f54;--accent-ink:#fff;--bad:#a9261b;--bad-soft:#fbe9e6}
@media (prefers-color-scheme:dark){:root{--paper:#15171a;--card:#1c1f23;--ink:#e9e7e2;--soft:#a9a69e;--line:#30353b;--edge:#757a82;--accent:#7cc9b8;--accent-ink:#0d2520;--bad:#ff9d90;--bad-soft:#3a211e}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;font:100%/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
header{border-bottom:1px solid var(--line);background:var(--card);padding:.75rem 1rem}
header a{display:flex;align-items:center;gap:.5rem;max-width:32rem;margin:0 auto;color:inherit;font-weight:600;text-decoration:none}
main{max-width:34rem;margin:2.25rem auto;padding:0 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem}
h1{font-size:1.75rem;line-height:1.25;letter-spacing:-.015em;margin:0 0 1rem}
h2{font-size:1.25rem;line-height:1.25;margin:0 0 .75rem}
section+section{border-top:1px solid var(--line);margin-top:1rem;padding-top:1rem}
p,ul{margin:0 0 1rem}
.card>:last-child,.card>form>p:last-child{margin-bottom:0}
ul{padding-left:1.2rem}
a{color:var(--accent)}
label{display:block;font-weight:600}
input{font:inherit;color:inherit;display:block;width:100%;padding:.5rem .75rem;margin:.25rem 0 1rem;background:var(--card);border:1px solid var(--edge);border-radius:.5rem}
button{font:inherit;font-weight:600;padding:.5rem 1rem;margin:0 .5rem .5rem 0;cursor:pointer;color:var(--accent-ink);background:var(--accent);border:1px solid var(--accent);border-radius:.5rem}
button[value=deny],section button{color:inherit;background:var(--card);border-color:var(--edge)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code{font-family:ui-monospace,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
[role=alert]{border:1px solid var(--bad);border-radius:.5rem;background:var(--bad-soft);color:var(--bad);padding:.75rem 1rem}
.code{font:1.5rem ui-monospace,Menlo,Consolas,monospace;letter-spacing:.15em;text-transform:uppercase}
`
const styleHash = createHash('sha256').update(style).digest('base64')

export const renderPage = ({ title, body, head = '' }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>${head}<style>${style}</style></head>
<body><header><a href="/-/">${mark}Guildhall</a></header><main><h1>${escapeHtml(title)}</h1><div class="card">
${body}
</div></main></body></html>
`

/**
 * The page loads nothing, can't be framed, and its forms go to this server. Browsers apply `form-action` to every
 * redirect that follows, so a form that leads elsewhere can't have it.
 */
export const pageHeaders = ({ mayLeave = false }: Page): Record<string, string> => ({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; ${mayLeave ? '' : "form-action 'self'; "}base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  // With the usual `no-referrer` browsers send `Origin: null` with a form, which looks like another site's request.
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

/**
 * The next request must come from this server's own page: browsers withhold the session cookie from requests that
 * another site causes.
 */
export const continuationPage = (address: string, title = 'One moment'): Page => ({
  title,
  head: `<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}">`,
  body: `<p><a href="${escapeHtml(address)}">Go on</a></p>`,
})

export const failurePage = (message: string): Page => ({
  title: 'This did not work',
  body: `<p role="alert">${escapeHtml(message)}</p>`,
})
