/** The kernel's control files: short texts that are read and written as a whole. */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'

/** Opens without creating: a misspelt name must fail instead of creating a file. */
export function writeControl(path: string, text: string): void {
  const descriptor = openSync(path, constants.O_WRONLY)
  try {
    writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

/** For a control that some kernels lack; returns whether it was set. */
export function tryControl(path: string, text: string): boolean {
  try {
    writeControl(path, text)
    return true
  } catch {
    return false
  }
}

export const readNumber = (path: string): number => Number(readFileSync(path, 'utf8'))

/** Reads one number from a file of `name value` lines; 0 if the line is missing. */
export function readField(path: string, name: string): number {
  const match = new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(path, 'utf8'))
  return Number(match?.[1] ?? 0)
}
