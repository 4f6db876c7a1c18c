import type { Call } from './call.js'
import type { CancelReason } from './cancellation.js'
import { areConflicting, type Claims } from './schedule/claims.js'

/** The failed shell commands of a run. Later calls of the same message that depend on one of them do not run. */
export class FailedCommands {
  readonly #commands: Call[] = []

  add(command: Call): void {
    // A command that was itself cancelled because of an earlier failure adds nothing.
    if (!command.hasStarted && this.#commands.some(({ index }) => index < command.index)) return
    this.#commands.push(command)
  }

  /** Why a call must not start, if it depends on a command that failed. */
  reasonToSkip(call: Call, claims: Claims | undefined): CancelReason | undefined {
    const command = this.#commands.find((failed) => dependsOn(call, claims, failed))
    if (command === undefined) return undefined
    return {
      type: 'aborted',
      message: `This call was cancelled because the earlier call of ${command.toolName} in the same message failed.`,
    }
  }
}

/** Whether a call was made on the assumption that the command succeeds: it runs alone, or uses the same resources. */
function dependsOn(call: Call, claims: Claims | undefined, command: Call): boolean {
  if (command.index >= call.index) return false
  if (call.isExclusive) return true
  return command.claims !== undefined && claims !== undefined && areConflicting(command.claims, claims)
}
