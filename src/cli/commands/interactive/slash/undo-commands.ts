import { isRecord } from '../../../../shared/is-record.js'
import { pickFromList } from '../../../../terminal/app/list-picker.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import type { SlashOutcome } from '../../../../terminal/slash/slash-commands.js'
import { formatTime } from '../format-time.js'
import { type CommandContext, runCaptured } from './run-captured.js'

/** The changes of a call, as `haft rewind --json` lists them. */
interface Checkpoint {
  readonly id: string
  readonly at: string
  readonly session: string
  readonly title: string
  /** The checkpoint that was restored, if a rewind created this one. */
  readonly rewindTo?: string
  readonly changes: readonly { readonly path: string; readonly change: string }[]
}

/** `/rewind`: restores the files from before a call, which the user chooses if no id is given. */
export async function rewind(args: string, app: TerminalApp, context: CommandContext): Promise<SlashOutcome> {
  const id = args === '' ? await pickCheckpoint(app, await listCheckpoints(context)) : args
  if (id === undefined) return { view: 'Nothing was restored.' }
  return { view: await runCaptured('rewind', id.split(/\s+/), context) }
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

function readCheckpoint({ id, at, session, title, rewindTo, changes }: Record<string, unknown>): Checkpoint {
  return {
    id: String(id),
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
