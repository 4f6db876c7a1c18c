import { ToolCallError } from '../../contract/errors.js'
import type { Message } from '../../contract/messages.js'
import type { HistoryPort, SnipOutcome } from '../../contract/ports/history.js'
import type { Session } from '../session.js'
import type { ChangedHistory } from './snip-history.js'

/** After this time, the tokens are estimated. */
const MAX_COUNTING_MS = 10_000

/** Most sessions never look at their history, so this code is loaded with the first call. */
const loadSnips = () => import('./snip-history.js')

/** Creates the port for the conversation of a session, which is opened after its tools. */
export function createHistoryPort(findSession: () => Session | undefined): HistoryPort {
  const getSession = (): Session => {
    const session = findSession()
    if (session === undefined) throw new ToolCallError('unavailable', 'There is no conversation here.')
    return session
  }
  const change = (compute: (messages: readonly Message[]) => ChangedHistory): SnipOutcome => {
    const { conversation } = getSession()
    const { messages, outcome } = compute(conversation.messages)
    conversation.rewrite(messages, 'snip')
    return outcome
  }
  return {
    async inspect({ signal }) {
      const { requestSource, model, conversation, runtime } = getSession()
      const { measureContext } = await import('./measure-context.js')
      const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_COUNTING_MS)])
      const { parts, tokens, window, isCounted } = await measureContext(requestSource, model, { signal: limit })
      const { listSteps, listSnips } = await loadSnips()
      const { messages } = conversation
      const steps = listSteps(messages, listKeptTools(runtime.pool)).map(({ indexes: _, ...step }) => step)
      return { parts, tokens, window, isCounted, steps, snips: listSnips(messages) }
    },
    async snip(request) {
      const { removeSteps } = await loadSnips()
      return change((messages) => removeSteps(messages, request, listKeptTools(getSession().runtime.pool)))
    },
    async restore(snipId) {
      const { restoreSteps } = await loadSnips()
      return change((messages) => restoreSteps(messages, snipId))
    },
  }
}

function listKeptTools(pool: Session['runtime']['pool']): ReadonlySet<string> {
  const keepingTools = pool.filter(({ keepsResults }) => keepsResults === true)
  return new Set(keepingTools.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
}
