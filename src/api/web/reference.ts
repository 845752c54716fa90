/**
 * The target of `documentation_url` for programs: docs/forge.md and every route, with anchors at headings and the rest
 * unformatted.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'forge.md')

/** How often the file is checked for changes while the server runs. */
const freshMs = 1_000

export type Reference = { readonly html: Buffer; readonly etag: string }

let kept: { readonly page: Promise<Reference>; readonly modifiedAt: number; checkedAt: number } | undefined

/** Rendered once per version of the file: it takes milliseconds, and anyone may request it. */
export async function readReference(writeRoutes: () => string): Promise<Reference> {
  const now = performance.now()
  if (kept && now - kept.checkedAt < freshMs) return kept.page
  if (kept) kept.checkedAt = now
  const { mtimeMs: modifiedAt } = await stat(file)
  if (kept?.modifiedAt !== modifiedAt) kept = { page: makePage(writeRoutes()), modifiedAt, checkedAt: now }
  return kept.page
}

async function makePage(routes: string): Promise<Reference> {
  const guide = await readFile(file, 'utf8')
  const html = Buffer.from(renderReference(`${guide}\n## Every route\n\n${routes}`))
  return { html, etag: `"${createHash('sha256').update(html).digest('hex').slice(0, 32)}"` }
}

/** `About primary rate limits` gets the anchor `#about-primary-rate-limits`. */
function renderReference(text: string): string {
  const parts = text.split(/^(#{1,3} .*)$/m).map((part) => {
    const [, marks, title] = /^(#+) (.*)$/.exec(part) ?? []
    if (!marks || !title) return part.trim() === '' ? '' : `<pre>${escapeText(part.trim())}</pre>\n`
    const id = title.toLowerCase().replaceAll(' ', '-')
    return `<h${marks.length} id="${escapeText(id)}">${escapeText(title)}</h${marks.length}>\n`
  })
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Guildhall: forge</title>\n${parts.join('')}</html>\n`
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
