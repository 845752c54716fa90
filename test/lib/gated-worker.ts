/** Counts that it has begun, and ends when the gate is open. */
export default function work({ began, gate }: { began: Int32Array; gate: Int32Array }): void {
  Atomics.add(began, 0, 1)
  Atomics.wait(gate, 0, 0)
}
