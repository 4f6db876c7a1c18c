import type { CallScope } from './call-scope.js'

/** Tells that the call has ended and what it left can be noted; what its hooks changed counts as its own. */
export async function settleCheckpoint({ host, toolUseId }: CallScope): Promise<void> {
  try {
    await host.ports.checkpoints?.settle(toolUseId)
  } catch {
    // The change is made and its former state is kept: undoing it will ask for what was left, and refuse in doubt.
  }
}
