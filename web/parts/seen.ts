/** Long things are drawn as they come into sight: whether an element is near what is seen, and how high it was. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

type Listener = (entry: IntersectionObserverEntry) => void

const listeners = new WeakMap<Element, Listener>()
let observer: IntersectionObserver | undefined

/** One for the whole page: a file may have a thousand blocks. */
function observe(): IntersectionObserver {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const entry of entries) listeners.get(entry.target)?.(entry)
    },
    { rootMargin: '1200px 0px' },
  )
  return observer
}

export type Seen<E extends Element> = {
  readonly place: RefObject<E | null>
  readonly isNear: boolean
  /** In pixels, as it was when it was last drawn. */
  readonly height: number | undefined
}

/** `isFirst`: it is most likely in sight at once. */
export function useSeen<E extends Element>(isFirst = false): Seen<E> {
  const place = useRef<E>(null)
  const [isNear, setNear] = useState(isFirst)
  const height = useRef<number | undefined>(undefined)
  useEffect(() => {
    const element = place.current!
    let wasNear = isFirst
    listeners.set(element, ({ isIntersecting, boundingClientRect }) => {
      if (wasNear && !isIntersecting) height.current = boundingClientRect.height
      wasNear = isIntersecting
      setNear(isIntersecting)
    })
    observe().observe(element)
    return () => observe().unobserve(element)
  }, [])
  return { place, isNear, height: height.current }
}
