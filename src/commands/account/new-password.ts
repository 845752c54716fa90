/**
 * Reads a new password: twice without echo at a terminal, else from the first line of the standard input, and never
 * from the arguments.
 */
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { demandAccountRules } from '../../accounts/account-rules.ts'
import { OperatorError } from '../../lib/failure.ts'

export type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** Far above the longest password; input from a wrong pipe is not read to its end. */
const maxBytes = 64 * 1024

export async function readPassword(
  input: Keyboard = process.stdin,
  output: Writable = process.stderr,
  isPiped = !input.isTTY,
): Promise<string> {
  const password = isPiped ? await readFirstLine(input) : await askHidden(input, output, 'New password: ')
  demandAccountRules({ password })
  if (!isPiped && (await askHidden(input, output, 'Again: ')) !== password) {
    throw new OperatorError('The two passwords differ: nothing was changed.')
  }
  return password
}

async function readFirstLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk))
    size += chunk.length
    if (chunk.includes('\n') || size > maxBytes) break
  }
  const [line = ''] = Buffer.concat(chunks).toString().split('\n', 1)
  if (line === '') throw new OperatorError('No password came: write it to the standard input, or use a terminal.')
  return line.replace(/\r$/, '')
}

/** In raw mode the terminal does not echo, and the program handles the keys that end or edit a line. */
function askHidden(input: Keyboard, output: Writable, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8')
    let typed: string[] = []
    const stop = (settle: () => void) => {
      input.off('data', read)
      input.off('end', leave)
      input.setRawMode?.(false)
      input.pause()
      output.write('\n')
      settle()
    }
    const leave = () => stop(() => reject(new OperatorError('No password was given: nothing was changed.')))
    const read = (chunk: Buffer | string) => {
      const keys = [...decoder.write(Buffer.from(chunk))]
      for (const [i, key] of keys.entries()) {
        if (key === '\r' || key === '\n') {
          return stop(() => {
            // A paste may hold both answers: the rest is put back into the stream for the next question.
            const rest = keys.slice(i + 1).join('')
            if (rest) input.unshift(Buffer.from(rest))
            resolve(typed.join(''))
          })
        }
        if (key === '\u0003' || key === '\u0004') return leave()
        if (key === '\u0015') typed = []
        else if (key === '\u007f' || key === '\b') typed.pop()
        else typed.push(key)
      }
    }
    output.write(question)
    input.setRawMode?.(true)
    input.on('data', read)
    input.once('end', leave)
    input.resume()
  })
}
