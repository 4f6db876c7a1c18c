import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { AskPermission, NobodyToAsk, PermissionAnswer } from '../call-environment.js'
import type { CallScope } from '../call-scope.js'
import type { HookedCall } from '../call-states.js'
import { copyPlain } from '../copy-plain.js'
import { decideCall, reportDecision } from '../steps/decide-call.js'

/** How a question came out: by the person, or by what an earlier answer changed while this one waited for its turn. */
export type Asked = { readonly answer: PermissionAnswer } | { readonly outcome: PermissionOutcome }

export interface Person {
  readonly ask: AskPermission
  /** Takes in what an answer changes, before the next question is put: that one may be answered by it. */
  readonly heed: (answer: PermissionAnswer) => Promise<void>
}

/** Puts the question to the person when it is this call's turn. Whatever is no clear answer is a no. */
export async function askPerson(
  call: HookedCall,
  question: PermissionOutcome,
  { ask, heed }: Person,
  scope: CallScope,
): Promise<Asked> {
  let waitedMs = 0
  const askInTurn = () =>
    scope.around.inTurn(async (): Promise<Asked> => {
      const now = await asItStandsNow(call, question, scope)
      if (now.behavior !== 'ask') return { outcome: now }
      const startMs = performance.now()
      const answer = await put(call, now, ask, scope)
      waitedMs = Math.round(performance.now() - startMs)
      scope.waitedMs += waitedMs
      // An answer to a call that is gone counts for nothing.
      scope.control.throwIfCancelled(call.tool.name)
      if (answer.behavior === 'nobody') return { outcome: await decideCall(call, scope, false) }
      await heed(answer)
      return { answer }
    })
  const { timeLimit } = scope
  const asked = await (timeLimit === undefined ? askInTurn() : timeLimit.paused(askInTurn))
  scope.control.throwIfCancelled(call.tool.name)
  if ('answer' in asked) {
    const { answer } = asked
    const text = answer.behavior === 'deny' ? (answer.message ?? 'denied') : 'allowed'
    reportDecision(scope, answer.behavior, { type: 'person', text }, waitedMs)
  }
  return asked
}

async function asItStandsNow(call: HookedCall, question: PermissionOutcome, scope: CallScope) {
  return scope.judgedBy === scope.host.permissions() ? question : decideCall(call, scope, true)
}

async function put(
  { tool, toolUse, input }: HookedCall,
  { message, reason, suggestions, preview }: PermissionOutcome,
  ask: AskPermission,
  scope: CallScope,
): Promise<PermissionAnswer | NobodyToAsk> {
  scope.control.throwIfCancelled(tool.name)
  scope.host.emit({ type: 'permission-asked', toolUseId: toolUse.id, at: Date.now(), message, suggestions })
  try {
    const answer = await ask({
      // A copy: what the person changes comes back as an answer, or not at all.
      input: copyPlain(scope.observe(input)),
      ...{ toolUseId: toolUse.id, tool, message, reason, suggestions, signal: scope.context.signal },
      ...(preview !== undefined && { preview }),
    })
    return isAnswer(answer) ? answer : { behavior: 'deny', message: 'No answer was given.' }
  } catch (error) {
    return { behavior: 'deny', message: `The question failed: ${reasonOf(error)}` }
  }
}

function isAnswer(answer: PermissionAnswer | NobodyToAsk | undefined): answer is PermissionAnswer | NobodyToAsk {
  if (answer?.behavior === 'deny' || answer?.behavior === 'nobody') return true
  if (answer?.behavior !== 'allow') return false
  const { updatedInput, updates } = answer
  const hasInput = updatedInput === undefined || (typeof updatedInput === 'object' && updatedInput !== null)
  return hasInput && (updates === undefined || Array.isArray(updates))
}
