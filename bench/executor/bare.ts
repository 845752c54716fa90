/** A language's commands with no box around them: the same words, environment and prepared file, in a folder. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileLimits, fillTemplate, heapValues, type Language } from '../../src/executor/languages/language.ts'

export type Bare = { readonly wallMs: number; readonly cpuMs: number }
export type BareLanguage = {
  /** Compiles and runs this source in a new folder, and fails if the output differs. */
  run(source: string, output: string): Bare
  drop(): void
}

export function prepareBare(language: Language): BareLanguage {
  const home = mkdtempSync(join(tmpdir(), 'guildhall-bench-bare-'))
  const preparedPath = join(home, 'prepared')
  let made = 0
  const enter = () => {
    const folder = join(home, String(made++))
    mkdirSync(folder)
    return { ...language, ...moveOut(language, folder, preparedPath), folder }
  }
  const { prepared } = language
  if (prepared) {
    const { folder, environment, move } = enter()
    const source = join(folder, prepared.name)
    writeFileSync(source, prepared.source)
    measure(fillTemplate(prepared.words.map(move), { source, program: preparedPath }), environment)
    rmSync(folder, { recursive: true })
  }
  return {
    run(text, output) {
      const { folder, environment, move } = enter()
      const source = join(folder, language.source)
      writeFileSync(source, text)
      const program = language.compile ? join(folder, 'compiled') : source
      const memoryMiB = (2 * compileLimits.compileMemoryBytes) / 1024 ** 2
      const fill = (words: readonly string[]) =>
        fillTemplate(words.map(move), { source, program, memoryMiB, ...heapValues(256) })
      const compiling = language.compile ? measure(fill(language.compile), environment) : null
      const running = measure(fill(language.run), environment)
      if (running.output !== output) throw new Error(`${language.name}, bare, wrote ${running.output}`)
      rmSync(folder, { recursive: true })
      return {
        wallMs: running.wallMs + (compiling?.wallMs ?? 0),
        cpuMs: running.cpuMs + (compiling?.cpuMs ?? 0),
      }
    },
    drop: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** The paths of a box as those of the host. */
function moveOut(language: Language, folder: string, preparedPath: string) {
  const places = new Map([
    ...language.files.map(({ from, at }): [string, string] => [at, from]),
    ...(language.prepared ? [[language.prepared.at, preparedPath] as const] : []),
    ['/program', folder],
    ['/box', folder],
  ])
  const inBox = new RegExp(`(?<![\\w.-])(?:${[...places.keys()].join('|')})(?![\\w-])`, 'g')
  const move = (text: string) => text.replaceAll(inBox, (at) => places.get(at)!)
  const environment = Object.fromEntries(Object.entries(language.environment).map(([name, text]) => [name, move(text)]))
  return { move, environment }
}

/** By bash's own clocks. */
function measure(words: readonly string[], env: Record<string, string>): Bare & { readonly output: string } {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" </dev/null'
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...words], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
  const [real, user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return { wallMs: 1000 * real!, cpuMs: 1000 * (user! + system!), output: stdout }
}
