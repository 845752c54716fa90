/** The page starts here: who is signed in, then the frame. */
import { render } from 'preact'
import { explain } from './api/fault.ts'
import { Frame } from './app/frame.tsx'
import { followLinks } from './app/location.ts'
import { closeMenus } from './app/menus.ts'
import { isOfPage } from './app/routes.ts'
import { openSession } from './app/session.ts'
import { Problem } from './parts/state.tsx'

const place = document.getElementById('app')!

async function start(): Promise<void> {
  try {
    await openSession()
  } catch (error) {
    render(
      <main>
        <h1>Guildhall</h1>
        <Problem message={explain(error)} retry={() => void start()} />
      </main>,
      place,
    )
    return
  }
  render(null, place)
  render(<Frame />, place)
}

followLinks(isOfPage)
closeMenus()
void start()
