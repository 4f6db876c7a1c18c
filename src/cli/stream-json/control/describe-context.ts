import { measureContext } from '../../../session/context/measure-context.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import { usageOf } from '../turn/turn-result.js'

const MAX_COUNT_MS = 30_000

/** Describes what the context window contains, in the format of the Agent SDK. */
export async function describeContext(opened: OpenedSession): Promise<Readonly<Record<string, unknown>>> {
  const { session, projectContext, toolSession } = opened
  const measure = await measureContext(session.requestSource, session.model, {
    signal: AbortSignal.timeout(MAX_COUNT_MS),
  })
  const { parts, tokens, window } = measure
  const mcpTools = toolSession.runtime.pool.flatMap(({ name, mcpInfo }) =>
    mcpInfo === undefined ? [] : [{ name, serverName: mcpInfo.serverName, tokens: 0 }],
  )
  const counted = session.countedMessages
  return {
    categories: [
      ...parts.map((part) => ({ name: part.name, tokens: part.tokens, color: 'default', kind: 'used' })),
      { id: 'free_space', name: 'Free space', tokens: Math.max(0, window - tokens), color: 'default', kind: 'free' },
    ],
    ...{ totalTokens: tokens, maxTokens: window, rawMaxTokens: window, model: session.model.id },
    percentage: window === 0 ? 0 : Math.round((tokens / window) * 100),
    gridRows: [],
    memoryFiles: projectContext.instructions.map(({ path, isUntrusted }) => ({
      ...{ path, type: isUntrusted === true ? 'Untrusted' : 'Project', tokens: 0 },
    })),
    mcpTools,
    agents: projectContext.kinds.map(({ name, source }) => ({ agentType: name, source, tokens: 0 })),
    isAutoCompactEnabled: toolSession.settings.autoCompact !== false,
    apiUsage: counted === undefined ? null : usageOf(counted.usage),
  }
}
