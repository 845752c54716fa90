/** The views of contests for everybody: teams, the public and staff. */
export { ContestBalloons } from './balloons.tsx'
export { ContestBoard } from './board/board-page.tsx'
export { ContestProjector } from './board/projector.tsx'
export { ContestClarifications } from './clarifications.tsx'
export { Contests } from './contests.tsx'
export { ContestHome } from './home.tsx'
export { ContestProblemView } from './problem.tsx'
export { ContestSubmissions } from './submissions.tsx'
