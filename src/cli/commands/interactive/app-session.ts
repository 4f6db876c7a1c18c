import type { UserMessage } from '../../../contract/messages.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { AppSession } from '../../../terminal/app/app-session.js'
import type { TerminalApp } from '../../../terminal/app/terminal-app.js'
import type { Submission } from '../../../terminal/editor/editor.js'
import { listTodos } from '../../agent-session/list-todos.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import type { CommandIo } from '../../io/command.js'
import { readAttachedImage } from './read-attached-image.js'

/** Adapts an open session to the terminal. */
export function createAppSession(openedSession: OpenedSession): AppSession {
  const { teams } = openedSession.toolSession.runtime
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
    todos: () => listTodos(openedSession.toolSession.runtime),
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
