import type { RulesBySource } from '../../contract/permission/context.js'
import { parsePermissionRule } from '../../contract/permission/rule.js'
import { isSameAgentKind } from '../../contract/ports/agents.js'
import type { AgentDefinition } from '../../contract/tool/context.js'
import type { PromptOptions } from '../../contract/tool/tool.js'

/** Characters that the list of kinds may take in every request. */
const MAX_LIST_CHARS = 2_000
const MAX_DESCRIPTION_CHARS = 300

const USAGE = `Gives a task to a sub-agent, which works on it by itself with a context of its own, and gives back what it says at the end.

- Use it for a search that takes many steps, and for work that can be told apart from yours. To read a known file or find a known name, use Read or Grep.
- It knows nothing of this conversation: the prompt must hold all it needs, and say what to answer. The user does not see its answer; tell them what matters.
- Several calls in one message run side by side where the agents only read, or have isolation.
- run_in_background: you get a task id at once, and are told when it ends; read the answer with TaskOutput.
- isolation "worktree": it works in a copy of the repository on a branch of its own, made from the last commit.`

/** What the model reads; the kinds that rules deny are not among those it is told of. */
export function prompt({ agentDefinitions, toolPermissionContext }: PromptOptions): string {
  const kinds = permittedKinds(agentDefinitions, toolPermissionContext.alwaysDenyRules)
  return kinds.length === 0 ? USAGE : `${USAGE}\n\nKinds, for subagent_type:\n${kindList(kinds)}`
}

function permittedKinds(kinds: readonly AgentDefinition[], alwaysDenyRules: RulesBySource): readonly AgentDefinition[] {
  const denied = Object.values(alwaysDenyRules).flatMap((rules) => rules.flatMap(deniedKinds))
  return kinds.filter(({ name }) => !denied.some((content) => isSameAgentKind(content, name)))
}

function deniedKinds(written: string): readonly string[] {
  try {
    const { toolName, content } = parsePermissionRule(written)
    return content !== undefined && (toolName === 'Agent' || toolName === 'Task') ? [content] : []
  } catch {
    // A rule that cannot be read denies the whole tool, which is then not there.
    return []
  }
}

/** A line for each; those for which there is no more room are named only. */
function kindList(kinds: readonly AgentDefinition[]): string {
  const lines: string[] = []
  const named: string[] = []
  let left = MAX_LIST_CHARS
  for (const { name, description } of kinds) {
    const line = `- ${name}: ${inOneLine(description)}`
    if (named.length === 0 && line.length <= left) {
      lines.push(line)
      left -= line.length
    } else named.push(name)
  }
  return [...lines, ...(named.length === 0 ? [] : [`Also: ${clip(named.join(', '), MAX_LIST_CHARS)}`])].join('\n')
}

function inOneLine(text: string): string {
  return clip(text.replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION_CHARS)
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
