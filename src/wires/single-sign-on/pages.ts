/** The few pages of a sign-on: plain HTML, without scripts. */

export type Page = { readonly title: string; readonly body: string; readonly head?: string }

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

export const renderPage = ({ title, body, head = '' }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>${head}</head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body></html>
`

export const signInPage = (action: string, message = ''): Page => ({
  title: 'Sign in',
  body: `${message && `<p role="alert">${escapeHtml(message)}</p>`}
<form method="post" action="${escapeHtml(action)}">
<p><label>Name <input name="name" autocomplete="username" required maxlength="39"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="256"></label></p>
<p><button>Sign in</button></p>
</form>`,
})

/** Says which token it is, so that nobody authorises one that another has got hold of. */
export const authorizationPage = (
  action: string,
  { organisation, hint, note }: { organisation: string; hint: string; note: string },
): Page => ({
  title: `Authorize a token for ${organisation}`,
  body: `<p>The classic token ending in <code>${escapeHtml(hint)}</code>${note && ` (${escapeHtml(note)})`} asks to act for you in the organization <strong>${escapeHtml(organisation)}</strong>. Go on only if you have just used it yourself.</p>
<form method="post" action="${escapeHtml(action)}"><p><button>Sign in with the organization’s provider</button></p></form>`,
})

/** The next request must come from this server's own page: a browser keeps the session's cookie from those that another site causes. */
export const continuationPage = (address: string): Page => ({
  title: 'Signed in',
  head: `<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}">`,
  body: `<p><a href="${escapeHtml(address)}">Go on</a></p>`,
})

export const donePage = (organisation: string): Page => ({
  title: 'The token is authorized',
  body: `<p>It may now act for you in <strong>${escapeHtml(organisation)}</strong>. You can close this page.</p>`,
})

export const failurePage = (message: string): Page => ({
  title: 'This did not work',
  body: `<p role="alert">${escapeHtml(message)}</p>`,
})
