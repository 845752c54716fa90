/** Named pipes that are made ahead, many at a time: to start a program for each would take longer than some runs. */
import { type ChildProcess, execFile, execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'

export type PipeReserve = {
  /** A named pipe that nobody has used, and nobody else will. */
  draw(): string
  /** Makes no more. */
  close(): void
}

const pipesAtOnce = 512
/** From here on the next ones are made beside the event loop. */
const fewPipes = pipesAtOnce / 2

export function makePipeReserve(folder: string): PipeReserve {
  let coming: ChildProcess | undefined
  const nextWords = () => {
    // Its name can be seen inside: a number would tell how many runs there were.
    const paths = Array.from({ length: pipesAtOnce }, () => join(folder, `pipe-${randomBytes(9).toString('hex')}`))
    return { paths, words: ['-m', '600', ...paths] }
  }
  const makeNow = () => {
    const { paths, words } = nextWords()
    execFileSync('mkfifo', words)
    return paths
  }
  const pipes = makeNow()

  /** Where it fails, whoever finds no pipe is told why. */
  function makeMore(): void {
    const { paths, words } = nextWords()
    coming = execFile('mkfifo', words, (error) => {
      coming = undefined
      if (!error) pipes.push(...paths)
    })
    coming.unref()
  }

  return {
    draw() {
      if (pipes.length === 0) pipes.push(...makeNow())
      // The file system numbers its files in the order they are made: which one it is tells of no run just before.
      const at = randomInt(pipes.length)
      const pipe = pipes[at]!
      pipes[at] = pipes.at(-1)!
      pipes.pop()
      if (pipes.length < fewPipes && !coming) makeMore()
      // When it was made would tell how many runs there were since.
      utimesSync(pipe, 0, 0)
      return pipe
    },
    close: () => coming?.kill('SIGKILL'),
  }
}
