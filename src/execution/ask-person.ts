import type { PermissionOutcome } from '../permissions/permission-outcome.js'
import type { CallScope } from './call-scope.js'
import type { HookedCall } from './call-states.js'
import { reportDecision } from './decide-call.js'
import type { PermissionAnswer } from './execution-host.js'
import { reasonOf } from './reason-of.js'

/** Puts the question to the person when it is this call's turn. Whatever is no clear answer is a no. */
export async function askPerson(
  call: HookedCall,
  question: PermissionOutcome,
  scope: CallScope,
): Promise<PermissionAnswer> {
  let waitedMs = 0
  const answer = await scope.around.inTurn(async () => {
    const startMs = performance.now()
    try {
      return await put(call, question, scope)
    } finally {
      waitedMs = performance.now() - startMs
      scope.waitedMs += waitedMs
    }
  })
  // An answer to a call that is gone counts for nothing.
  scope.control.throwIfCancelled(call.tool.name)
  const text = answer.behavior === 'deny' ? (answer.message ?? 'denied') : 'allowed'
  reportDecision(scope, answer.behavior, { type: 'person', text }, waitedMs)
  return answer
}

async function put(
  { tool, toolUse, input }: HookedCall,
  { message, reason, suggestions }: PermissionOutcome,
  scope: CallScope,
): Promise<PermissionAnswer> {
  const { host } = scope
  host.emit({ type: 'permission-asked', toolUseId: toolUse.id, at: Date.now(), message, suggestions })
  try {
    const answer = await host.ask?.({
      ...{ toolUseId: toolUse.id, tool, input: scope.observe(input), message, reason, suggestions },
      signal: scope.context.signal,
    })
    return isAnswer(answer) ? answer : { behavior: 'deny', message: 'No answer was given.' }
  } catch (error) {
    return { behavior: 'deny', message: `The question failed: ${reasonOf(error)}` }
  }
}

function isAnswer(answer: PermissionAnswer | undefined): answer is PermissionAnswer {
  if (answer?.behavior === 'deny') return true
  if (answer?.behavior !== 'allow') return false
  const { updatedInput, updates } = answer
  const hasInput = updatedInput === undefined || (typeof updatedInput === 'object' && updatedInput !== null)
  return hasInput && (updates === undefined || Array.isArray(updates))
}
