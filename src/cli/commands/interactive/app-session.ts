import type { UserMessage } from '../../../contract/messages.js'
import type { TaskBoardPort } from '../../../contract/ports/task-board.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { AppSession, TodoItem } from '../../../terminal/app/app-session.js'
import type { TerminalApp } from '../../../terminal/app/terminal-app.js'
import type { Submission } from '../../../terminal/editor/editor.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import type { CommandIo } from '../../io/command.js'
import { readAttachedImage } from './read-attached-image.js'

/** Adapts an open session to the terminal. */
export function createAppSession(openedSession: OpenedSession): AppSession {
  const { state, taskBoard, teams } = openedSession.toolSession.runtime
  const appSession: AppSession = {
    id: openedSession.id,
    session: openedSession.session,
    ask: (content, options) => openedSession.ask(content, options),
    setMode: (mode) => openedSession.setMode(mode),
    onWake: undefined,
    get hasNotices() {
      return openedSession.hasNotices
    },
    onMode: undefined,
    onAgentEvent: undefined,
    onHookStatus: undefined,
    onNotification: undefined,
    notifyHooks: (type, message) => openedSession.session.notify(type, message),
    todos: () => [...readTodos(state.port.getAppState()['todo:list']), ...listBoardTodos(taskBoard)],
    team: () => teams?.showRecent(),
    readSubmission,
  }
  openedSession.onWake = () => appSession.onWake?.()
  openedSession.onMode = (mode) => appSession.onMode?.(mode)
  openedSession.onAgentEvent = (event, agent) => appSession.onAgentEvent?.(event, agent)
  openedSession.onNotification = (notification) => appSession.onNotification?.(notification)
  openedSession.onHooksRunning = (hooks) =>
    appSession.onHookStatus?.(hooks.flatMap(({ statusMessage }) => statusMessage ?? []))
  return appSession
}

function readTodos(value: unknown): readonly TodoItem[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) =>
    isRecord(item) && typeof item.content === 'string' && typeof item.status === 'string'
      ? [{ content: item.content, status: item.status }]
      : [],
  )
}

const MAX_SHOWN_AGE_MS = 24 * 60 * 60 * 1000

/** Returns the tasks of the board that changed recently. Older ones belong to work that nobody continued. */
function listBoardTodos(taskBoard: TaskBoardPort | undefined): readonly TodoItem[] {
  const tasks = taskBoard?.listRecent() ?? []
  return tasks
    .filter(({ history }) => Date.now() - (history.at(-1)?.at ?? 0) < MAX_SHOWN_AGE_MS)
    .map(({ id, subject, activeForm, status, owner }) => {
      const content = `#${id} ${(status === 'in_progress' && activeForm) || subject}`
      return { content: owner === undefined ? content : `${content} (${owner.name})`, status }
    })
}

async function readSubmission({ text, attachments }: Submission): Promise<UserMessage['content']> {
  if (attachments.length === 0) return text
  const images = await Promise.all(attachments.map(({ path }) => readAttachedImage(path)))
  return [{ type: 'text', text }, ...images]
}

/** Lets the user write the prompt in an external editor. */
export async function editPromptExternally(
  { prompt, transcript }: TerminalApp,
  { variables }: CommandIo,
): Promise<void> {
  const { editExternally, readEditorCommand } = await import('../../../terminal/editor/external-editor.js')
  try {
    const text = await prompt.screen.runOutside(() => editExternally(prompt.editor.text, variables))
    if (text === undefined)
      transcript.addNotice('warning', `${readEditorCommand(variables)} failed; the prompt is unchanged.`)
    else prompt.editor.setText(text)
  } catch (error) {
    transcript.addNotice('error', reasonOf(error))
  }
  prompt.draw()
}
