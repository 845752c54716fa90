/** Deployments, their statuses, and environments. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Deployment, DeploymentStatus } from '../../../forge/deployments/deployment.ts'
import type { Environment } from '../../../forge/deployments/environments.ts'
import type { TeamWithParent } from '../../../forge/people/team.ts'
import type { Person } from '../../../forge/person.ts'
import { presentApp } from '../apps/present-app.ts'
import { placesOf } from '../git/present-git.ts'
import { presentUser } from '../people/present-people.ts'
import { presentTeam } from '../people/present-teams.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export function presentDeployment(repository: Repository, deployment: Deployment, view: View) {
  const { url: repositoryUrl } = placesOf(repository, view)
  const url = `${repositoryUrl}/deployments/${deployment.id}`
  return {
    url,
    id: deployment.id,
    node_id: nodeId('Deployment', deployment.id),
    sha: deployment.sha,
    ref: deployment.ref,
    task: deployment.task,
    payload: deployment.payload,
    original_environment: deployment.originalEnvironment,
    environment: deployment.environment,
    description: deployment.description,
    creator: deployment.creator && presentUser(deployment.creator, view),
    created_at: formatTime(deployment.createdAt),
    updated_at: formatTime(deployment.updatedAt),
    statuses_url: `${url}/statuses`,
    repository_url: repositoryUrl,
    transient_environment: deployment.isTransient,
    production_environment: deployment.isProduction,
    performed_via_github_app: deployment.app && presentApp(deployment.app, view),
  }
}

export function presentDeploymentStatus(repository: Repository, status: DeploymentStatus, view: View) {
  const { url: repositoryUrl } = placesOf(repository, view)
  const deployment = `${repositoryUrl}/deployments/${status.deploymentId}`
  return {
    url: `${deployment}/statuses/${status.id}`,
    id: status.id,
    node_id: nodeId('DeploymentStatus', status.id),
    state: status.state,
    creator: status.creator && presentUser(status.creator, view),
    description: status.description,
    environment: status.environment,
    // The older name of the same.
    target_url: status.logUrl,
    created_at: formatTime(status.createdAt),
    updated_at: formatTime(status.createdAt),
    deployment_url: deployment,
    repository_url: repositoryUrl,
    environment_url: status.environmentUrl,
    log_url: status.logUrl,
    performed_via_github_app: status.app && presentApp(status.app, view),
  }
}

export type Reviewers = {
  readonly users: ReadonlyMap<number, Person>
  readonly teams: ReadonlyMap<number, TeamWithParent>
}

export function presentEnvironment(repository: Repository, environment: Environment, known: Reviewers, view: View) {
  const { url, html } = placesOf(repository, view)
  const name = encodeURIComponent(environment.name)
  const reviewers = environment.reviewers.flatMap((one): object[] => {
    const user = 'userId' in one ? known.users.get(one.userId) : undefined
    const team = 'teamId' in one ? known.teams.get(one.teamId) : undefined
    if (user) return [{ type: 'User', reviewer: presentUser(user, view) }]
    return team ? [{ type: 'Team', reviewer: presentTeam(team, view) }] : []
  })
  return {
    id: environment.id,
    node_id: nodeId('Environment', environment.id),
    name: environment.name,
    url: `${url}/environments/${name}`,
    html_url: `${html}/deployments/activity_log?environments_filter=${name}`,
    created_at: formatTime(environment.createdAt),
    updated_at: formatTime(environment.updatedAt),
    protection_rules:
      reviewers.length === 0
        ? []
        : [
            {
              id: environment.id,
              node_id: nodeId('EnvironmentRule', environment.id),
              type: 'required_reviewers',
              prevent_self_review: environment.preventsSelfReview,
              reviewers,
            },
          ],
    deployment_branch_policy: null,
  }
}
