import type { AskPort } from '../../contract/ports/ask.js'
import type { ModelPort } from '../../contract/ports/model.js'
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
}): ServerRequests {
  const { ask, model, modelName, roots } = sources
  if (ask?.canAsk !== true) return { roots }
  return {
    roots,
    elicit: (elicitation, { signal }) => ask.handleElicitation(elicitation, { signal }),
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
