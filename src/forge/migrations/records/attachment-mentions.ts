/** Notes which text shows which attachment, as the texts are exported. */

export type Mention = { readonly member: 'issue' | 'pull_request' | 'issue_comment'; readonly address: string }

export type AttachmentMentions = ReturnType<typeof makeAttachmentMentions>

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Keeps the first text that names each uuid. */
export function makeAttachmentMentions() {
  const found = new Map<string, Mention>()
  return {
    note(text: string | null, mention: Mention): void {
      if (!text?.includes('attachments/')) return
      for (const [uuid] of text.matchAll(uuidPattern)) if (!found.has(uuid)) found.set(uuid, mention)
    },
    find: (uuid: string): Mention | undefined => found.get(uuid),
  }
}
