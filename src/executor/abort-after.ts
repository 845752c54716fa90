/** A signal that is aborted some time after another one, to leave time for finishing. */
export function abortAfter(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController()
  const begin = () => setTimeout(() => controller.abort(new Error('The executor is stopping.')), ms).unref()
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return controller.signal
}
