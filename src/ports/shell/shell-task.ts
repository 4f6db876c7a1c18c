import type { ShellOutcome } from '../../contract/ports/shell.js'
import type { TaskEnd, TaskWork } from '../../contract/ports/tasks.js'
import type { CommandRun } from './command-run.js'

const MOST_DESCRIPTION_CHARS = 200

/** A command as background work: it goes on while anything holds its output, and ends by itself, by the cap or by `stop`. */
export function shellTask(run: CommandRun): TaskWork {
  let isStopped = false
  const natural = run.drained.then(async () => {
    const outcome = await run.settle({ leaveRest: true })
    return { ...endOf(outcome, isStopped), leavesRest: await run.leavesRest() }
  })
  const filled = run.output.filled.then(async () => endOf(await run.settle(), isStopped))
  const { description, command } = run.request
  return {
    kind: 'shell',
    description: description ?? command.slice(0, MOST_DESCRIPTION_CHARS),
    ended: Promise.race([natural, filled]).catch(
      (): TaskEnd => ({ status: 'failed', exitCode: null, leavesRest: true }),
    ),
    takeOutput() {
      const { text, path, receivedBytes, isCut } = run.output.takeUnseen()
      const notice = isCut ? '\n[The command was stopped, because it printed more than is kept.]' : ''
      return { text: text + notice, ...(path !== undefined && { path }), receivedBytes }
    },
    async stop() {
      isStopped = true
      await run.settle()
    },
  }
}

function endOf({ exitCode }: ShellOutcome, isStopped: boolean): TaskEnd {
  if (isStopped) return { status: 'stopped', exitCode }
  return { status: exitCode === 0 ? 'completed' : 'failed', exitCode }
}
