/** Virtual scrolling: only visible rows are in the document, because thousands would take seconds to draw. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export type Window = { readonly from: number; readonly to: number }

/** Extra rows above and below the visible ones, and how many rows the window moves at a time. */
const margin = 12
const step = 6

function look(place: HTMLElement, count: number, height: number): Window {
  const { top } = place.getBoundingClientRect()
  const first = Math.floor(-top / height / step) * step - margin
  const seen = Math.ceil(innerHeight / height) + 2 * margin + step
  const from = Math.max(0, Math.min(first, count - 1))
  return { from, to: Math.min(count, Math.max(first, 0) + seen) }
}

/** `place`: the element that holds all rows. `height`: of a row. */
export function useWindow(place: RefObject<HTMLElement | null>, count: number, height: number): Window {
  const [seen, setSeen] = useState<Window>({ from: 0, to: Math.min(count, 60) })
  useEffect(() => {
    let frame = 0
    const adjust = () => {
      frame = 0
      if (!place.current) return
      const next = look(place.current, count, height)
      setSeen((now) => (now.from === next.from && now.to === next.to ? now : next))
    }
    const plan = () => {
      frame ||= requestAnimationFrame(adjust)
    }
    adjust()
    addEventListener('scroll', plan, { passive: true })
    addEventListener('resize', plan)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', plan)
      removeEventListener('resize', plan)
    }
  }, [count, height])
  return { from: Math.min(seen.from, count), to: Math.min(seen.to, count) }
}
