/** The thread behind `checkpoints.ts`: a connection of its own, and a checkpoint for each message. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new DatabaseSync(workerData.path as string)
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)')

let movedBefore = 0

/** The pages of the log, and how many of them were moved just now. The log may have begun anew since the last time. */
function run(): { logPages: number; movedPages: number } {
  const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number }
  const movedPages = checkpointed >= movedBefore ? checkpointed - movedBefore : checkpointed
  movedBefore = checkpointed
  return { logPages: log, movedPages }
}

parentPort!.on('message', (what: 'checkpoint' | 'end') => {
  if (what === 'checkpoint') return parentPort!.postMessage(run())
  connection.close()
  parentPort!.close()
})
