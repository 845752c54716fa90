/** Presents a new token to its creator. The secret is shown only here. */
import type { Token } from '../../../accounts/tokens/token.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export const presentAuthorization = (token: Token, text: string, { base, origin }: View) => ({
  id: token.id,
  node_id: nodeId('Authorization', token.id),
  url: `${base}/authorizations/${token.id}`,
  app: { name: 'Guildhall', url: origin, client_id: '0'.repeat(20) },
  token: text,
  hashed_token: null,
  token_last_eight: token.hint,
  note: token.note,
  note_url: null,
  created_at: formatTime(token.createdAt),
  updated_at: formatTime(token.createdAt),
  scopes: token.scopes,
  fingerprint: null,
  expires_at: null,
})
