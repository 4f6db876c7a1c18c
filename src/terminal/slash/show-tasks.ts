import type { BackgroundTask } from '../../contract/ports/tasks.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { pickFromList } from '../app/list-picker.js'
import { Pager } from '../app/pager.js'
import type { TerminalApp } from '../app/terminal-app.js'
import { createMutedSpan } from '../blocks/format.js'
import { ChoiceDialog } from '../dialogs/choice-dialog.js'

const REFRESH_MS = 500

/** Shows the background tasks with their live output. Enter shows all output of a task, Ctrl+K stops it. */
export async function showTasks(app: TerminalApp): Promise<void> {
  const { tasks } = app.session.session.runtime
  if (tasks.list().length === 0) {
    app.transcript.addNotice('info', 'There are no background tasks.')
    return
  }
  const outputOf = ({ id }: BackgroundTask) => (tasks.peek(id) ?? '').trimEnd()
  const task = await pickFromList<BackgroundTask>(app.prompt, {
    title: 'Background tasks',
    items: () =>
      sortTasks(tasks.list()).map((item) => ({ value: item, label: item.description, detail: describeTask(item) })),
    preview: (item, width, maxRows) => renderOutput(outputOf(item), width).slice(-maxRows),
    enterHint: 'shows all output',
    action: { key: 'k', hint: 'stops it', run: ({ id }) => void tasks.stop(id) },
    refreshMs: REFRESH_MS,
  })
  if (task === undefined) return
  const text = outputOf(task)
  if (app.prompt.isScreenReader) {
    app.transcript.addView({ type: 'code', text: text === '' ? 'No output yet' : text })
    await offerToStop(app, task)
    return
  }
  new Pager(app.prompt, {
    title: `${task.id}: ${task.description}`,
    startsAtEnd: true,
    blocks: [
      {
        render: (width) => renderOutput(text, width),
        isExpandable: false,
        searchText: text.toLowerCase(),
        text,
      },
    ],
  })
}

/** Asks whether to stop a task. Used for screen readers, for which the list with its keys is not shown. */
async function offerToStop(app: TerminalApp, { id, status }: BackgroundTask): Promise<void> {
  if (status !== 'running') return
  const dialog = new ChoiceDialog(`${id} is still running.`, [{ label: 'Let it run' }, { label: 'Stop it' }])
  if ((await app.prompt.ask(dialog, undefined)) !== 1) return
  await app.session.session.runtime.tasks.stop(id)
  app.transcript.addNotice('info', `${id} was stopped.`)
}

function renderOutput(text: string, width: number): readonly StyledLine[] {
  return text === ''
    ? [[createMutedSpan('No output yet')]]
    : renderView({ type: 'code', text }, { width, verbose: true })
}

function sortTasks(list: readonly BackgroundTask[]): readonly BackgroundTask[] {
  const runningTasks = list.filter(({ status }) => status === 'running')
  const endedTasks = list.filter(({ status }) => status !== 'running')
  return [...runningTasks.toReversed(), ...endedTasks.toReversed()]
}

function describeTask({ id, status, isIdle, exitCode }: BackgroundTask): string {
  const code = status === 'failed' && typeof exitCode === 'number' ? `, exit code ${exitCode}` : ''
  return `${id} · ${isIdle === true ? 'waits for messages' : status}${code}`
}
