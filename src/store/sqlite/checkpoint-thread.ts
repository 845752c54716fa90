/** The thread behind `checkpoints.ts`: its own connections, and a checkpoint or a log restart for each message. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { walSizeLimit, writeFrame } from './wal.ts'

export type CheckpointRequest = 'checkpoint' | 'restart' | 'end'
/**
 * The pages of the log, and how many of them this checkpoint moved; before a restart the rest is not counted.
 * `isWhole`: all were moved, so that the file is as short as possible. Pages that a reader may still need are not
 * moved.
 */
export type CheckpointAnswer = { readonly logPages: number; readonly movedPages: number; readonly isWhole: boolean }

const path = workerData.path as string
const connection = new DatabaseSync(path, { timeout: 1_000 })
connection.exec(`pragma synchronous = full; pragma journal_size_limit = ${walSizeLimit}`)
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)')
/** While this connection holds a view of the log, no writer restarts the log, which would sync it on the event loop. */
const pin = new DatabaseSync(path, { readOnly: true })

let movedBefore = 0

function moveView(): void {
  if (pin.isTransaction) pin.exec('commit')
  pin.exec('begin')
  pin.prepare('select 1 from sqlite_schema limit 1').get()
}

/** The log may have been restarted since the last time. */
function moveLog(): CheckpointAnswer {
  const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number }
  const movedPages = checkpointed >= movedBefore ? checkpointed - movedBefore : checkpointed
  movedBefore = checkpointed
  return { logPages: log, movedPages, isWhole: checkpointed >= log }
}

/** No writer is active meanwhile: the rest of the log is moved, and a commit made here is the first of the new log. */
function restartLog(): CheckpointAnswer {
  if (pin.isTransaction) pin.exec('commit')
  const { logPages, isWhole } = moveLog()
  if (!isWhole) return { logPages, movedPages: 0, isWhole }
  try {
    writeFrame(connection)
    moveView()
    movedBefore = 0
    return { logPages: 1, movedPages: 0, isWhole }
  } catch {
    // The log is sound but stays long: another process writes, or the disk is full.
    return { logPages, movedPages: 0, isWhole }
  }
}

parentPort!.on('message', (request: CheckpointRequest) => {
  if (request === 'end') {
    pin.close()
    connection.close()
    parentPort!.close()
    return
  }
  if (request === 'checkpoint') moveView()
  parentPort!.postMessage(request === 'checkpoint' ? moveLog() : restartLog())
})
