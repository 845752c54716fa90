/** Shows the progress of a long command on one line that is overwritten; without a terminal, nothing. */

type Screen = { readonly isTTY?: boolean; write(text: string): unknown }

/** `fraction`: the share that is done, from 0 to 1, if known. */
export type Done = { readonly items?: number; readonly bytes: number; readonly fraction?: number | undefined }

export type Progress = { show(done: Done): void; end(text: string): void }

const everyMs = 200

export function makeProgress(screen: Screen, verb: string, totalItems?: number): Progress {
  const start = performance.now()
  let shownAt = 0

  function describe({ items, bytes, fraction }: Done): string {
    const seconds = Math.max((performance.now() - start) / 1000, 0.001)
    const parts = [`${describeBytes(bytes)} (${describeBytes(bytes / seconds)}/s)`]
    if (items !== undefined) parts.unshift(`${items.toLocaleString('en')} items`)
    else if (totalItems !== undefined) parts.unshift(`of ${totalItems.toLocaleString('en')} items`)
    if (fraction !== undefined) parts.unshift(`${Math.floor(100 * Math.min(fraction, 1))} %`)
    return `${verb} ${parts.join(', ')}`
  }

  return {
    show(done) {
      if (!screen.isTTY || performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      screen.write(`\r\x1b[K${describe(done)}`)
    },
    end(text) {
      screen.write(`${screen.isTTY ? '\r\x1b[K' : ''}${text}\n`)
    },
  }
}

export function describeBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`
}
