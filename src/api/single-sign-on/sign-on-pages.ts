/** The pages of single sign-on. */
import { escapeHtml, type Page } from '../plain-pages/plain-page.ts'

/** Shows which token it is, so that nobody authorises a token that somebody else has stolen. */
export const authorizationPage = (
  action: string,
  { organisation, hint, note }: { organisation: string; hint: string; note: string },
): Page => ({
  mayLeave: true,
  title: `Authorize a token for ${organisation}`,
  body: `<p>The classic token ending in <code>${escapeHtml(hint)}</code>${note && ` (${escapeHtml(note)})`} asks to act for you in the organisation <strong>${escapeHtml(organisation)}</strong>. Go on only if you have just used it yourself.</p>
<form method="post" action="${escapeHtml(action)}"><p><button>Sign in with the organisation’s provider</button></p></form>`,
})

export const donePage = (organisation: string): Page => ({
  title: 'The token is authorized',
  body: `<p>It can now act for you in <strong>${escapeHtml(organisation)}</strong>. You can close this page.</p>`,
})
