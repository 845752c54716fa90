/** A real browser for tests of the page: the machine's Chromium, driven by playwright-core; without windows if it can be. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const folders = (process.env.PATH ?? '').split(':')
const executablePath = folders
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** What a test says where it is skipped; false where there is a browser. A run in CI must have one. */
export const lacksBrowser: string | false =
  executablePath || process.env.CI ? false : 'there is no Chromium on this machine: install the package chromium'

export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: executablePath ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export type Tab = {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page complained of: errors of scripts, and breaches of its policy. */
  readonly complaints: readonly string[]
}

type Looks = { readonly width?: number; readonly height?: number; readonly isDark?: boolean }

export async function openTab(
  browser: Browser,
  url: string,
  { width = 1280, height = 900, isDark = false }: Looks = {},
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    permissions: ['clipboard-write', 'clipboard-read'],
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack}`))
  page.on('console', (message) => {
    // A picture that somebody wrote a script into is kept from running it, which is as it should be.
    if (/^Blocked script execution in '[^']+\/files\//.test(message.text())) return
    // Chromium styles the text that replaces selected code, until the editor draws it itself.
    if (message.text().includes("'sha256-y+obQM5ls7s/3nA7iZUTXp/FuuuhwJuLomzwA4s58sY='")) return
    const isOwn = /Content Security Policy|Trusted|violates/i.test(message.text())
    if (isOwn || (message.type() === 'error' && !/Failed to load resource/.test(message.text())))
      complaints.push(`${page.url()}: ${message.text()}`)
  })
  return { page, context, complaints }
}
