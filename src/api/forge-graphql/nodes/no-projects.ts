/** Projects are not served: the lists that clients read beside issues are empty. */
import { type ConnectionArgs, connectAll } from '../connection.ts'

const empty = (args: ConnectionArgs) => connectAll(args, [], () => null)

export const noProjects = { projects: empty, projectsV2: empty }
