import type { RulesBySource } from '../../contract/permission/context.js'
import { parsePermissionRule } from '../../contract/permission/rule.js'
import { isSameAgentKind } from '../../contract/ports/agents.js'
import type { AgentDefinition } from '../../contract/tool/context.js'
import type { PromptOptions } from '../../contract/tool/tool.js'
import { shortenText } from '../../shared/cut-text.js'

/** Limits the list of kinds with a description and, separately, the list of the other names. Both are part of every request. */
const MAX_LIST_CHARS = 2_000
const MAX_DESCRIPTION_CHARS = 300

const USAGE_TEXT = `Gives a task to a sub-agent, which works on it with its own context and returns its final message.

- Use it for a search that takes many steps, and for work that is separate from yours; for a known file or name, use Read or Grep.
- It does not see this conversation: the prompt must contain everything it needs, and say what to return. The user does not see its answer.
- Several calls in one message run in parallel if the agents only read, or have isolation.
- run_in_background: you get a task id at once and are notified at the end; TaskOutput reads the answer.
- name: it joins your team, works beside you, and waits for messages when it has finished.
- isolation "worktree": it works in a copy of the repository, on its own branch from the last commit.`

/** Returns the prompt, which lists the agent kinds that no rule denies. */
export function prompt({ agentDefinitions, toolPermissionContext }: PromptOptions): string {
  const kinds = selectPermittedKinds(agentDefinitions, toolPermissionContext.alwaysDenyRules)
  return kinds.length === 0 ? USAGE_TEXT : `${USAGE_TEXT}\n\nKinds, for subagent_type:\n${formatKinds(kinds)}`
}

function selectPermittedKinds(
  kinds: readonly AgentDefinition[],
  alwaysDenyRules: RulesBySource,
): readonly AgentDefinition[] {
  const deniedKinds = Object.values(alwaysDenyRules).flatMap((rules) => rules.flatMap(listDeniedKinds))
  return kinds.filter(({ name }) => !deniedKinds.some((content) => isSameAgentKind(content, name)))
}

function listDeniedKinds(ruleText: string): readonly string[] {
  try {
    const { toolName, content } = parsePermissionRule(ruleText)
    return content !== undefined && (toolName === 'Agent' || toolName === 'Task') ? [content] : []
  } catch {
    // A malformed deny rule covers the whole tool, so this prompt is not sent.
    return []
  }
}

/** Writes one line for each kind. When the descriptions exceed the limit, the remaining kinds are listed by name only. */
function formatKinds(kinds: readonly AgentDefinition[]): string {
  const lines: string[] = []
  const namesOnly: string[] = []
  let remainingChars = MAX_LIST_CHARS
  for (const { name, description } of kinds) {
    const line = `- ${name}: ${toOneLine(description)}`
    if (namesOnly.length === 0 && line.length <= remainingChars) {
      lines.push(line)
      remainingChars -= line.length
    } else namesOnly.push(name)
  }
  return [...lines, ...(namesOnly.length === 0 ? [] : [`Also: ${clip(namesOnly.join(', '), MAX_LIST_CHARS)}`])].join(
    '\n',
  )
}

function toOneLine(text: string): string {
  return clip(text.replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION_CHARS)
}

function clip(text: string, maxChars: number): string {
  return shortenText(text, maxChars)
}
