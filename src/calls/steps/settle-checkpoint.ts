import type { CallScope } from '../call-scope.js'

/** Tells that the call has ended and what it left can be noted; what its hooks changed counts as its own. */
export async function settleCheckpoint({ host, toolUseId, goesOn }: CallScope): Promise<void> {
  try {
    const settling = host.ports.checkpoints?.settle(toolUseId, goesOn)
    // What goes on is noted when it ends; the answer does not wait for it.
    if (goesOn === undefined) await settling
    else settling?.catch(() => {})
  } catch {
    // The change is made and its former state is kept: undoing it will ask for what was left, and refuse in doubt.
  }
}
