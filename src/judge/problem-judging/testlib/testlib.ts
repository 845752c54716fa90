/** Gives checkers and interactors in C++ the testlib.h beside this file, unless they bring their own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from '../judging.ts'

const name = 'testlib.h'
const inclusion = /^[ \t]*#[ \t]*include[ \t]*(?:"testlib\.h"|<testlib\.h>)/m

let header: Buffer | undefined

/** The file becomes part of the program, so that another version of the server, or another judge, compiles the same. */
export function withTestlib(program: Program): Program {
  if (!lacksTestlib(program)) return program
  header ??= readFileSync(join(import.meta.dirname, name))
  return { ...program, files: [...program.files, { name, content: header }] }
}

const lacksTestlib = ({ language, files }: Program): boolean =>
  language === 'cpp' &&
  !files.some((file) => file.name.split('/').at(-1) === name) &&
  files.some(({ content }) => inclusion.test(Buffer.from(content).toString('latin1')))
