/**
 * Preloaded by a server (`--import`), it makes the syncs of SQLite's log slow, keeps a copy of what each made durable, and
 * fails them on demand. A power cut leaves at least that copy of the log, and in the worst case no byte more.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const wal = process.env.RECORDED_WAL!
/** Where the copy goes. */
const copy = process.env.RECORDED_COPY!
/** Syncs fail while there is such a file. */
const failing = process.env.RECORDED_FAILING ?? ''

const { fdatasync, fdatasyncSync } = fs

const isWal = (fd: number) => fs.fstatSync(fd).ino === fs.statSync(wal, { throwIfNoEntry: false })?.ino

function keep(bytes: Buffer): void {
  fs.writeFileSync(`${copy}.new`, bytes)
  fs.renameSync(`${copy}.new`, copy)
}

if (isMainThread) {
  fs.fdatasyncSync = (fd) => {
    const bytes = isWal(fd) ? fs.readFileSync(wal) : undefined
    fdatasyncSync(fd)
    if (bytes) keep(bytes)
  }

  fs.fdatasync = ((fd: number, done: fs.NoParamCallback) => {
    if (!isWal(fd)) return fdatasync(fd, done)
    // What is written while the sync runs may or may not be in it: it is not counted on.
    const bytes = fs.readFileSync(wal)
    fdatasync(fd, (error) => {
      setTimeout(() => {
        if (!error && !fs.existsSync(failing)) {
          keep(bytes)
          return done(null)
        }
        done(error ?? Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
      }, 10)
    })
  }) as typeof fs.fdatasync

  syncBuiltinESMExports()
}
