import { isRecord } from '../../../../shared/is-record.js'
import { pickFromList } from '../../../../terminal/app/list-picker.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import { ChoiceDialog } from '../../../../terminal/dialogs/choice-dialog.js'
import type { SlashOutcome } from '../../../../terminal/slash/slash-commands.js'
import { formatTime } from '../format-time.js'
import { type Checkpoint, findOldestCheckpoint, pickPrompt, rewindConversation } from './rewind-conversation.js'
import { type CommandContext, runCaptured } from './run-captured.js'

const NOTHING_RESTORED = { view: 'Nothing was restored.' }
const REWIND_CHOICES = [
  { label: 'Files and conversation', restoresFiles: true, restoresConversation: true },
  { label: 'Conversation only', restoresFiles: false, restoresConversation: true },
  { label: 'Files only', restoresFiles: true, restoresConversation: false },
]

/**
 * `/rewind`: restores the files from before a call, if its id is given. Otherwise the user chooses whether to restore files,
 * the conversation or both, and from before which prompt or call.
 */
export async function rewind(args: string, app: TerminalApp, context: CommandContext): Promise<SlashOutcome> {
  if (args !== '') return await restoreFiles(args, context)
  const choice = await app.prompt.ask(new ChoiceDialog('What should be restored?', REWIND_CHOICES), undefined)
  const { restoresFiles, restoresConversation } = REWIND_CHOICES[choice ?? -1] ?? {}
  if (restoresFiles === undefined) return NOTHING_RESTORED
  const checkpoints = restoresFiles ? await listCheckpoints(context) : []
  if (!restoresConversation) {
    const id = await pickCheckpoint(app, checkpoints)
    return id === undefined ? NOTHING_RESTORED : await restoreFiles(id, context)
  }
  const prompt = await pickPrompt(app, checkpoints)
  if (prompt === undefined) return NOTHING_RESTORED
  const removedMessages = app.session.session.conversation.messages.slice(prompt.index)
  const checkpoint = findOldestCheckpoint(removedMessages, checkpoints)
  if (checkpoint !== undefined) app.transcript.addView((await restoreFiles(checkpoint.id, context)).view)
  return rewindConversation(prompt, app)
}

async function restoreFiles(args: string, context: CommandContext) {
  return { view: await runCaptured('rewind', args.split(/\s+/), context) }
}

/** `/undo`: restores the files from before the last call of this session that is not undone yet. */
export async function undoLast(sessionId: string, context: CommandContext): Promise<SlashOutcome> {
  const checkpoints = await listCheckpoints(context)
  const undoneIds = new Set(checkpoints.map(({ rewindTo }) => rewindTo))
  const checkpoint = checkpoints.find(
    ({ id, session, changes }) => session === sessionId && changes.length > 0 && !undoneIds.has(id),
  )
  if (checkpoint === undefined) return { view: 'There are no file changes of this session to undo.' }
  return { view: await runCaptured('rewind', [checkpoint.id], context) }
}

function pickCheckpoint(app: TerminalApp, checkpoints: readonly Checkpoint[]): Promise<string | undefined> {
  const items = checkpoints
    .filter(({ changes }) => changes.length > 0)
    .map((checkpoint) => ({
      value: checkpoint,
      label: checkpoint.rewindTo === undefined ? checkpoint.title : `rewind to ${checkpoint.rewindTo}`,
      detail: `${formatTime(Date.parse(checkpoint.at))} · ${checkpoint.id}`,
    }))
  if (items.length === 0) return Promise.resolve(undefined)
  return pickFromList<Checkpoint>(app.prompt, {
    title: 'Restore the files from before a call',
    items: () => items,
    preview: ({ changes }) => changes.map(({ path, change }) => [{ text: `  ${change}  ${path}` }]),
    enterHint: 'restores them',
  }).then((checkpoint) => checkpoint?.id)
}

/** Lists the checkpoints of this project, newest first. */
async function listCheckpoints(context: CommandContext): Promise<readonly Checkpoint[]> {
  const { text } = await runCaptured('rewind', ['--json'], context)
  const entries: unknown = text === '' ? [] : JSON.parse(text)
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: unknown) => (isRecord(entry) ? [readCheckpoint(entry)] : []))
}

function readCheckpoint(entry: Record<string, unknown>): Checkpoint {
  const { id, at, session, toolUseId, title, rewindTo, changes } = entry
  return {
    id: String(id),
    ...(typeof toolUseId === 'string' && { toolUseId }),
    at: String(at),
    session: String(session),
    title: typeof title === 'string' ? title : 'a call',
    ...(typeof rewindTo === 'string' && { rewindTo }),
    changes: (Array.isArray(changes) ? changes : []).map((entry: unknown) => ({
      path: isRecord(entry) ? String(entry.path) : '',
      change: isRecord(entry) ? String(entry.change) : '',
    })),
  }
}
