import { SHELL_CWD } from '../contract/resources.js'
import { cutText } from '../shared/cut-text.js'
import { isCheck } from '../shell/is-check.js'
import type { Call } from './call.js'
import type { CancelReason } from './cancellation.js'
import {
  type Claims,
  describeKey,
  EXCLUSIVE_CLAIMS,
  findWrittenKey,
  type ListedClaims,
  toThingKey,
} from './schedule/claims.js'

/** A call that did not do its work, so that later calls may lack what it should have written. */
interface FailedCall {
  readonly call: Call
  /** What it would have read and written. */
  readonly claims: Claims
  /** The failed command because of which this call was skipped; undefined if it failed itself. */
  readonly cause: Call | undefined
}

/**
 * The failed and denied shell commands of a run, and the calls that were skipped because of them. Later calls of the same
 * message that depend on one of them do not run. A failure of any other tool skips nothing.
 */
export class FailedCalls {
  readonly #failed: FailedCall[] = []

  /**
   * Adds a command that failed or was denied, and cancels the queued calls that depend on it. Calls that are not in the
   * schedule yet are judged when they enter it.
   */
  addCommand(command: Call, laterCalls: readonly Call[]): void {
    if (this.#failed.some(({ call }) => call === command)) return
    const firstIndex = this.#failed.length
    this.#failed.push({ call: command, claims: getIntendedClaims(command, command.claims), cause: undefined })
    for (const call of laterCalls) {
      if (!call.isQueued || call.claims === undefined) continue
      const reason = this.findReasonToSkip(call, call.claims, firstIndex)
      if (reason !== undefined) call.cancellation.cancel(reason)
    }
  }

  /**
   * Returns why a call must not start, if it depends on a failed call. The call then counts as failed too. `firstIndex` leaves
   * out the failed calls that it was already compared with.
   */
  findReasonToSkip(call: Call, claims: Claims, firstIndex = 0): CancelReason | undefined {
    for (const failedCall of this.#failed.slice(firstIndex)) {
      const dependency = findDependency(call, claims, failedCall)
      if (dependency === undefined) continue
      this.#failed.push({ call, claims: getIntendedClaims(call, claims), cause: failedCall.cause ?? failedCall.call })
      return { type: 'aborted', message: describeSkip(failedCall, dependency) }
    }
    return undefined
  }
}

/**
 * Returns the claims without the working directory, unless the command may really change it: other commands that write claim it
 * only as a precaution. A call without claims, such as one with an invalid input, may have used anything.
 */
function getIntendedClaims({ command }: Call, claims: Claims = EXCLUSIVE_CLAIMS): Claims {
  if (claims.kind === 'everything' || command === undefined || command.changesFolder) return claims
  return { ...claims, writes: claims.writes.filter((key) => key !== CWD_KEY) }
}

const CWD_KEY = toThingKey(SHELL_CWD)

/**
 * Returns why a later call depends on a failed one, worded for the model. If the resources of both are known, they decide.
 * Otherwise a later call that only reads may run, and one that may change something may not. Exceptions: checks such as
 * tests and linters do not depend on each other, and an edit of known files does not depend on a check.
 */
function findDependency(laterCall: Call, laterClaims: Claims, { call, claims }: FailedCall): string | undefined {
  if (call.index >= laterCall.index) return undefined
  if (claims.kind === 'listed') return findUse(laterCall, laterClaims, claims)
  if (!claims.isExclusive || !mayChangeMore(laterClaims)) return undefined
  if (isCheckCall(call) && (isCheckCall(laterCall) || (laterClaims.kind === 'listed' && !laterCall.runsShellCommand)))
    return undefined
  return 'it is unknown what that call would have changed'
}

/** Returns how a later call uses something that the failed call should have written. */
function findUse(laterCall: Call, laterClaims: Claims, failedCall: ListedClaims): string | undefined {
  if (failedCall.writes.length === 0) return undefined
  const isFolderUsed = failedCall.writes.includes(CWD_KEY) && usesFolder(laterCall)
  const otherKey = laterClaims.kind === 'listed' ? findWrittenKey(failedCall, laterClaims) : undefined
  const key = isFolderUsed ? CWD_KEY : otherKey
  if (key !== undefined) return `this call uses ${describeKey(key)}, which that call should have changed`
  return laterClaims.kind === 'everything' && laterClaims.isExclusive ? 'it is unknown what this call uses' : undefined
}

function usesFolder({ declared, runsShellCommand }: Call): boolean {
  return runsShellCommand || (declared?.kind === 'listed' && declared.usesCwd)
}

/** Whether a call may change more than the working directory. */
function mayChangeMore(claims: Claims): boolean {
  return claims.kind === 'everything' ? claims.isExclusive : claims.writes.some((key) => key !== CWD_KEY)
}

function isCheckCall({ command }: Call): boolean {
  return command !== undefined && isCheck(command)
}

function describeSkip({ call, cause }: FailedCall, dependency: string): string {
  const failure =
    cause === undefined ? describeFailure(call) : `was skipped because ${describeCall(cause)} ${describeFailure(cause)}`
  return `This call was skipped because it may depend on the earlier call ${describeCall(call)}, which ${failure}: ${dependency}. Send it again if it should run anyway.`
}

const DENIAL_CODES: ReadonlySet<string> = new Set(['permission_denied', 'permission_needed', 'hook_blocked'])

function describeFailure({ outcome }: Call): string {
  const code = outcome?.error?.code ?? ''
  return DENIAL_CODES.has(code) ? 'was denied' : code === 'cancelled' ? 'was cancelled' : 'failed'
}

const MAX_COMMAND_CHARS = 60

/** Describes a call by its tool, the start of its command and its id: `Bash "npm test" (toolu_1)`. */
function describeCall({ toolName, command, toolUse }: Call): string {
  const text = command?.text.trim().replace(/\s+/g, ' ') ?? ''
  if (text === '') return `${toolName} (${toolUse.id})`
  const shownText = text.length > MAX_COMMAND_CHARS ? `${cutText(text, MAX_COMMAND_CHARS)}…` : text
  return `${toolName} "${shownText}" (${toolUse.id})`
}
