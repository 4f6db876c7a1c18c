import type { AgentOutcome } from '../../contract/ports/agents.js'
import { counted } from '../../shared/counted.js'

/** What a call gives back, of which a caller may leave out what has no value. */
type AgentAnswer = { readonly [K in keyof AgentOutcome]: AgentOutcome[K] | undefined } & {
  readonly status: 'ended' | 'started'
  readonly kind: string
  readonly taskId?: string | undefined
}

/** What the model reads. */
export function answerText(answer: AgentAnswer): string {
  const { status, taskId, kind, text = '', cutShort, worktree, notes = [], toolUses = 0, tokens = 0 } = answer
  if (status === 'started') {
    return `The ${kind} agent works in the background as task ${taskId}. You are told when it ends; TaskOutput gives its answer, TaskStop ends it.`
  }
  return [
    ...(cutShort === undefined ? [] : [`[The agent did not finish: ${cutShort} What it said last follows.]`]),
    text.trim() === '' ? 'The agent said nothing at the end.' : text,
    '',
    ...(worktree === undefined
      ? []
      : [
          `[It left changes in ${worktree.path}, on the branch ${worktree.branch}. Nothing of it is in the project yet.]`,
        ]),
    ...notes.map((note) => `[${note}]`),
    `[${kind} agent: ${counted(toolUses, 'call')}, ${counted(tokens, 'token')}]`,
  ].join('\n')
}
