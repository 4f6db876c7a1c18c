import type { AskPort, Elicitation, ElicitationAnswer } from '../../contract/ports/ask.js'
import type { ModelPort } from '../../contract/ports/model.js'
import type { HookOutcome } from '../../hooks/answer/merge-results.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { SamplingRequest, ServerRequests } from '../../mcp/client/server-requests.js'
import { cutText } from '../../shared/cut-text.js'

const ALLOW_LABEL = 'Allow once'
const MAX_SHOWN_CHARS = 2_000

/** Handles the requests of MCP servers to the user and to the model. Without a user to ask, servers are offered neither. */
export function answerServers(sources: {
  readonly ask: AskPort | undefined
  readonly model: ModelPort | undefined
  readonly modelName: string
  readonly roots: () => readonly string[]
  /** Whether Elicitation hooks can answer, even if there is no user. */
  readonly canHooksAnswer?: boolean
  readonly hooks?: () => HookRunner | undefined
}): ServerRequests {
  const { ask, model, modelName, roots, canHooksAnswer = false, hooks = () => undefined } = sources
  if (ask?.canAsk !== true && !canHooksAnswer) return { roots }
  const elicit: NonNullable<ServerRequests['elicit']> = (elicitation, { signal }) => {
    const askUser = async (): Promise<ElicitationAnswer> =>
      ask?.canAsk === true ? ask.handleElicitation(elicitation, { signal }) : { action: 'decline' }
    return elicitWithHooks(hooks(), elicitation, askUser, signal)
  }
  if (ask?.canAsk !== true) return { roots, elicit }
  return {
    roots,
    elicit,
    ...(model !== undefined && {
      async sample(request, { signal }) {
        await requireApproval(request, ask, signal)
        const { systemPrompt: system, maxTokens } = request
        const prompt = toPrompt(request)
        const text = await model.complete({ prompt, maxTokens, signal, ...(system !== undefined && { system }) })
        return { text, model: modelName }
      },
    }),
  }
}

/**
 * Lets Elicitation hooks answer a server in place of the user, and ElicitationResult hooks change the answer. A hook that objects,
 * or was cancelled, declines.
 */
async function elicitWithHooks(
  hooks: HookRunner | undefined,
  { serverName, message, schema, url }: Elicitation,
  askUser: () => Promise<ElicitationAnswer>,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const base = { mcp_server_name: serverName, mode: url === undefined ? ('form' as const) : ('url' as const) }
  const form = { ...(url !== undefined && { url }), ...(schema !== undefined && { requested_schema: schema }) }
  const before = await hooks?.run('Elicitation', { ...base, message, ...form }, { signal })
  const answer = findHookAnswer(before) ?? (await askUser())
  const after = await hooks?.run('ElicitationResult', { ...base, ...answer }, { signal })
  return findHookAnswer(after) ?? answer
}

function findHookAnswer(outcome: HookOutcome | undefined): ElicitationAnswer | undefined {
  if (outcome === undefined) return undefined
  const { elicitation, blocked, stop, cancelled } = outcome
  return blocked !== undefined || stop !== undefined || cancelled ? { action: 'decline' } : elicitation
}

/** Throws unless the user approves the request: sampling costs money, and sends text to the model that the user did not write. */
async function requireApproval(request: SamplingRequest, ask: AskPort, signal: AbortSignal): Promise<void> {
  const { serverName, maxTokens, systemPrompt } = request
  const fullText = [systemPrompt, toPrompt(request)].filter((part) => part !== undefined).join('\n\n')
  const hiddenCount = fullText.length - MAX_SHOWN_CHARS
  const preview =
    hiddenCount > 0 ? `${cutText(fullText, MAX_SHOWN_CHARS)}\n[${hiddenCount} more characters are not shown]` : fullText
  const question = `May the MCP server ${serverName} ask the model this, for at most ${maxTokens} tokens?\n\n${preview}`
  const options = [
    { label: ALLOW_LABEL, description: 'The server receives the answer' },
    { label: 'Refuse', description: 'The server receives an error' },
  ]
  const answers = await ask.askQuestions([{ question, header: 'MCP', options, multiSelect: false }], { signal })
  const [answer] = answers ?? []
  const isAllowed = answer?.chosen.length === 1 && answer.chosen[0] === ALLOW_LABEL
  if (!isAllowed) throw new Error(`The user does not allow the MCP server ${serverName} to use the model.`)
}

function toPrompt({ messages }: SamplingRequest): string {
  const [onlyMessage] = messages
  if (messages.length === 1 && onlyMessage !== undefined) return onlyMessage.text
  return messages.map(({ role, text }) => `${role}: ${text}`).join('\n\n')
}
