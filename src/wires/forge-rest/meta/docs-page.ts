/** The page that `documentation_url` leads to: docs/hosting.md with its headings as places to go to, the rest as it is written. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { securityHeaders } from '../../response.ts'

export const docsPath = '/-/docs/hosting'
const file = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'hosting.md')

export async function docsPage(server: FastifyInstance): Promise<void> {
  let page: Promise<string> | undefined
  server.get(docsPath, async (_request, reply) => {
    page ??= readFile(file, 'utf8').then(renderDocs)
    return reply
      .headers(securityHeaders)
      .type('text/html; charset=utf-8')
      .send(await page)
  })
}

/** `About primary rate limits` is found at `#about-primary-rate-limits`. */
export function renderDocs(text: string): string {
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
