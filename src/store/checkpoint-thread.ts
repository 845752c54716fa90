/** The thread behind `checkpoints.ts`: a connection of its own, and a checkpoint for each message. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new DatabaseSync(workerData.path as string)
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)')

parentPort!.on('message', (what: 'checkpoint' | 'end') => {
  if (what === 'checkpoint') return parentPort!.postMessage(checkpoint.get()!.log)
  connection.close()
  parentPort!.close()
})
