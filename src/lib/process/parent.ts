/** The process that started us: where npm did, and nobody stands between, its end is ours. */

const lookEveryMs = 500

/**
 * Calls back once whoever started us is gone, so that nobody is left to stop us. npm that is killed says nothing to its
 * script; the system gives an orphan another parent, and that is how it shows. Started otherwise (by systemd, say, or
 * with nohup), a process may outlive who started it.
 */
export function followParent(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    onGone()
  }, lookEveryMs).unref()
}
