import type { WorkflowsPort } from '../../contract/ports/workflows.js'
import type { WorkflowsOptions } from '../../ports/workflows/create-workflows.js'
import { OnDemand } from './on-demand.js'

/** Creates the journals of workflows. Their code is loaded with the first workflow. */
export function createWorkflowsPort(options: WorkflowsOptions): WorkflowsPort {
  const workflows = new OnDemand(async () => {
    const { createWorkflows } = await import('../../ports/workflows/create-workflows.js')
    return createWorkflows(options)
  })
  return {
    create: async (script) => (await workflows.open()).create(script),
    open: async (runId) => (await workflows.open()).open(runId),
  }
}
