/** The parent process: if npm started us directly, we end with it. */

const lookEveryMs = 500

/**
 * Calls back once the process that started us is gone, so that nobody is left to stop us. A killed npm does not signal
 * its script, but the system gives an orphan another parent, which shows. A process started otherwise (by systemd, say,
 * or with nohup) may outlive its parent.
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
