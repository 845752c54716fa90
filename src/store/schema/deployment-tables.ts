/** The tables of deployments (what is put where, how that goes, and who must agree to it) and of autolinks. */
import type { Generated } from 'kysely'

export type DeploymentState = 'error' | 'failure' | 'inactive' | 'pending' | 'success' | 'queued' | 'in_progress'

export type DeploymentTable = {
  id: Generated<number>
  repository_id: number
  sha: string
  ref: string
  task: string
  environment: string
  original_environment: string
  description: string | null
  /** JSON: an object or a text. */
  payload: string
  is_transient: number
  is_production: number
  creator_id: number
  app_id: number | null
  /** Whether those who must agree have; null where nobody must. */
  approval: 'waiting' | 'approved' | 'rejected' | null
  created_at: number
  updated_at: number
}

export type DeploymentStatusTable = {
  id: Generated<number>
  deployment_id: number
  state: DeploymentState
  creator_id: number
  app_id: number | null
  description: string
  environment: string
  environment_url: string
  log_url: string
  created_at: number
}

export type DeploymentEnvironmentTable = {
  id: Generated<number>
  repository_id: number
  name: string
  /** JSON: [{userId} | {teamId}]. */
  reviewers: string
  prevents_self_review: number
  created_at: number
  updated_at: number
}

/** A prefix in texts of a repository that leads to another system. */
export type AutolinkTable = {
  id: Generated<number>
  repository_id: number
  prefix: string
  template: string
  is_alphanumeric: number
  created_at: number
}

export type DeploymentsSchema = {
  autolink: AutolinkTable
  deployment: DeploymentTable
  deployment_status: DeploymentStatusTable
  deployment_environment: DeploymentEnvironmentTable
}
