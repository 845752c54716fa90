/** Named pipes created in advance, many at a time: starting a program for each would take longer than some runs. */
import { type ChildProcess, execFile, execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'

export type PipeReserve = {
  /** Returns a new named pipe that is given to nobody else. */
  take(): string
  /** Stops creating pipes. */
  close(): void
}

const pipesAtOnce = 512
/** Below this number more are created in the background. */
const fewPipes = pipesAtOnce / 2

export function makePipeReserve(folder: string): PipeReserve {
  let coming: ChildProcess | undefined
  const nextWords = () => {
    // Random, since a box sees its name: a number would reveal how many runs there were.
    const paths = Array.from({ length: pipesAtOnce }, () => join(folder, `pipe-${randomBytes(9).toString('hex')}`))
    return { paths, words: ['-m', '600', ...paths] }
  }
  const makeNow = () => {
    const { paths, words } = nextWords()
    execFileSync('mkfifo', words)
    return paths
  }
  const pipes = makeNow()

  /** If it fails, the next caller without a pipe gets the error. */
  function makeMore(): void {
    const { paths, words } = nextWords()
    coming = execFile('mkfifo', words, (error) => {
      coming = undefined
      if (!error) pipes.push(...paths)
    })
    coming.unref()
  }

  return {
    take() {
      if (pipes.length === 0) pipes.push(...makeNow())
      // Chosen at random: the file system numbers files in order of creation, which would reveal the run before.
      const at = randomInt(pipes.length)
      const pipe = pipes[at]!
      pipes[at] = pipes.at(-1)!
      pipes.pop()
      if (pipes.length < fewPipes && !coming) makeMore()
      // Its creation time would reveal how many runs there were since.
      utimesSync(pipe, 0, 0)
      return pipe
    },
    close: () => coming?.kill('SIGKILL'),
  }
}
