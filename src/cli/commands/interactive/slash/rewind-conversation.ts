import type { Message } from '../../../../contract/messages.js'
import { formatCounted } from '../../../../shared/counted.js'
import { pickFromList } from '../../../../terminal/app/list-picker.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import { textOfPrompt } from '../../../../terminal/blocks/replay.js'
import type { SlashOutcome } from '../../../../terminal/slash/slash-commands.js'

/** The changes of a call, as `haft rewind --json` lists them. */
export interface Checkpoint {
  readonly id: string
  readonly toolUseId?: string
  readonly at: string
  readonly session: string
  readonly title: string
  /** The checkpoint that was restored, if a rewind created this one. */
  readonly rewindTo?: string
  readonly changes: readonly { readonly path: string; readonly change: string }[]
}

interface EarlierPrompt {
  /** The index of the prompt in the messages of the conversation. */
  readonly index: number
  readonly text: string
}

/** Lets the user choose one of their prompts, newest first. */
export async function pickPrompt(
  app: TerminalApp,
  checkpoints: readonly Checkpoint[] | undefined,
): Promise<EarlierPrompt | undefined> {
  const { messages } = app.session.session.conversation
  const prompts = messages.flatMap((message, index) => {
    const text = message.type === 'user' ? textOfPrompt(message) : ''
    return text === '' || text.startsWith('<') ? [] : [{ index, text }]
  })
  const items = prompts.reverse().map((prompt) => ({
    value: prompt,
    label: prompt.text.replace(/\s+/g, ' '),
    detail: `${formatCounted(messages.length - prompt.index, 'message')} after it`,
  }))
  if (items.length === 0) return undefined
  return await pickFromList<EarlierPrompt>(app.prompt, {
    title: 'Go back to the state before a prompt',
    items: () => items,
    preview: ({ index }) =>
      findOldestChanges(messages.slice(index), checkpoints ?? []).map(({ path, change }) => [
        { text: `  ${change}  ${path}` },
      ]),
    enterHint: 'goes back',
  })
}

/** Removes a prompt and everything after it from the conversation, and puts its text into the editor. */
export function rewindConversation({ index, text }: EarlierPrompt, app: TerminalApp): SlashOutcome {
  const { session } = app.session
  const count = session.conversation.messages.length - index
  session.rewind(index)
  app.prompt.editor.setText(text)
  return { view: `Removed ${formatCounted(count, 'message')} from the conversation. Your prompt is in the editor.` }
}

/** Returns the oldest checkpoint of calls in these messages. */
export function findOldestCheckpoint(
  messages: readonly Message[],
  checkpoints: readonly Checkpoint[],
): Checkpoint | undefined {
  const ids = new Set(
    messages.flatMap((message) =>
      message.type === 'assistant'
        ? message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        : [],
    ),
  )
  return checkpoints.findLast(
    ({ toolUseId, changes }) => toolUseId !== undefined && ids.has(toolUseId) && changes.length > 0,
  )
}

function findOldestChanges(messages: readonly Message[], checkpoints: readonly Checkpoint[]): Checkpoint['changes'] {
  return findOldestCheckpoint(messages, checkpoints)?.changes ?? []
}
