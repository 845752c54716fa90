/** Where `documentation_url` leads programs: docs/hosting.md with its headings as places to go to, the rest as it is written. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'hosting.md')

export const readReference = (): Promise<string> => readFile(file, 'utf8').then(renderReference)

/** `About primary rate limits` is found at `#about-primary-rate-limits`. */
function renderReference(text: string): string {
  const parts = text.split(/^(#{1,3} .*)$/m).map((part) => {
    const [, marks, title] = /^(#+) (.*)$/.exec(part) ?? []
    if (!marks || !title) return part.trim() === '' ? '' : `<pre>${escapeText(part.trim())}</pre>\n`
    const id = title.toLowerCase().replaceAll(' ', '-')
    return `<h${marks.length} id="${escapeText(id)}">${escapeText(title)}</h${marks.length}>\n`
  })
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Guildhall: hosting</title>\n${parts.join('')}</html>\n`
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
