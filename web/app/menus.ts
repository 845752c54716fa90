/** Menus (`details.menu`) close by Escape, which gives the focus back to what opened them, and by a press elsewhere. */
const openMenus = (): Iterable<HTMLDetailsElement> =>
  document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')

export function closeMenus(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    for (const menu of openMenus()) {
      const hadFocus = menu.contains(document.activeElement)
      menu.open = false
      if (hadFocus) menu.querySelector('summary')?.focus()
    }
  })
  document.addEventListener('pointerdown', (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target as Node)) menu.open = false
  })
}
