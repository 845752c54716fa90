/** Closes the descriptors that this program inherited, before the first box starts, which would inherit them too. */
import { closeSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000

/** Node marks its own descriptors close-on-exec, so the others came from the parent process. */
export function closeInheritedDescriptors(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name)
    if (descriptor > 2 && !isClosedOnExec(descriptor)) {
      try {
        closeSync(descriptor)
      } catch {
        // The listing's own descriptor is already closed.
      }
    }
  }
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))
    return (Number.parseInt(flags?.[1] ?? '0', 8) & closeOnExec) !== 0
  } catch {
    return true
  }
}
