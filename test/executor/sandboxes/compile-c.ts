/** Compiles a C program for a box. */
import { compileSource } from '../../../src/executor/compilation/compilation.ts'
import { surveyLanguages } from '../../../src/executor/languages/configuration.ts'
import type { KeptFile, Sandbox } from '../../../src/executor/sandboxes/sandbox.ts'

export async function compileC(sandbox: Sandbox, source: string): Promise<KeptFile> {
  const { languages } = await surveyLanguages()
  const c = languages.find(({ value }) => value === 'c')!
  const { program, words } = await compileSource({ sandbox }, c, Buffer.from(source))
  if (!program) throw new Error(words)
  return program
}
