/** Parts of payloads about deployments. */
import { presentDeployment, presentDeploymentStatus } from '../deployments/present-deployment.ts'
import type { PayloadPart } from './part.ts'

/** No workflow stands behind them. */
const noWorkflow = { workflow: null, workflow_run: null }

const deployment: PayloadPart = async ({ services, repository, source, view }) => {
  const found = await services.deployments.get(repository, source.subjectId ?? 0)
  return { deployment: presentDeployment(repository, found, view), ...noWorkflow }
}

/** Of payloads the description wants addresses, or none. */
const withoutEmpty = ({ environment_url, log_url, ...rest }: ReturnType<typeof presentDeploymentStatus>) => ({
  ...rest,
  ...(environment_url && { environment_url }),
  ...(log_url && { log_url }),
})

const deploymentStatus: PayloadPart = async ({ services, repository, source, view }) => {
  const { deploymentId } = source.data
  const found = await services.deployments.get(repository, deploymentId)
  const status = await services.deployments.getStatus(deploymentId, source.subjectId ?? 0)
  return {
    deployment_status: withoutEmpty(presentDeploymentStatus(repository, status, view)),
    deployment: presentDeployment(repository, found, view),
    ...noWorkflow,
  }
}

export const deploymentParts = {
  deployment,
  deployment_status: deploymentStatus,
} as const satisfies Record<string, PayloadPart>
