import { existsSync } from 'node:fs'
import type { ClaimedRun } from '../../../ports/schedule/schedule-changes.js'
import { ScheduleStore } from '../../../ports/schedule/schedule-store.js'
import { findSession } from '../../../session/transcript/read/find-session.js'
import { formatMoment } from '../../../shared/format-moment.js'
import { overridePort } from '../../../shared/override-port.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'

const CONTINUE_PROMPT =
  'This scheduled run was interrupted, because its process ended. Continue where it stopped, and do not repeat what is already done.'

const END_REASONS: Readonly<Record<number, string>> = {
  [EXIT.usage]: 'wrong options or settings',
  [EXIT.permission]: 'a permission was missing',
  [EXIT.limit]: 'a limit was reached',
  [EXIT.noModel]: 'there is no key or model',
  [EXIT.interrupted]: 'it was interrupted',
}

/**
 * `haft schedule exec`: runs one scheduled run. The process that claimed it starts this one, which takes the run over. If
 * another process has taken it over already, nothing happens.
 */
export async function runExec(io: CommandIo, args: readonly string[], runOptions: readonly string[]): Promise<number> {
  const [folder, id, due, owner] = args
  if (folder === undefined || id === undefined || due === undefined || owner === undefined)
    throw new UsageError('this command is started by haft schedule run.')
  const store = new ScheduleStore(folder)
  const name = { id, due: Number(due) }
  const claim = await store.takeFrom(owner, name)
  if (claim === undefined) return EXIT.done
  const { runPrint } = await import('../print/run-print.js')
  const runIo = overridePort(io, { args: [...toArguments(claim, io, store), ...runOptions] })
  // A prompt of a model or of another machine does not count as the words of the user.
  const code = await runPrint(runIo, { isUserPrompt: claim.task.origin === 'user' }).catch(async (error: unknown) => {
    await store.finish(name, { state: 'failed', detail: reasonOf(error) })
    throw error
  })
  // This process was asked to end. The run is left unfinished, so that the next process continues it.
  if (code === EXIT.interrupted) return code
  const detail = END_REASONS[code] ?? `exit code ${code}`
  await store.finish(name, code === EXIT.done ? { state: 'completed' } : { state: 'failed', detail })
  return code
}

/** Returns the arguments for a run. If it has a transcript, it is resumed, so that finished calls are not repeated. */
function toArguments({ task, run, id }: ClaimedRun, { homeDir: home }: CommandIo, store: ScheduleStore): string[] {
  const session = run.session ?? ''
  if (hasTranscript(session, { home, projectRoot: store.read().projectRoot }))
    return ['-p', CONTINUE_PROMPT, '--resume', session]
  // A slash command must be at the start of the prompt. Only the user may run one.
  if (task.origin === 'user' && task.prompt.startsWith('/')) return ['-p', task.prompt, '--session-id', session]
  const times = task.cron === undefined ? '' : ` (${task.cron})`
  const missed = run.missedCount === 0 ? '' : ` It replaces ${run.missedCount} missed runs.`
  const due = formatMoment(run.due, task.timezone)
  const head = `This is scheduled task ${id}${times}, due ${due}.${missed} There is no user to answer questions.`
  return ['-p', `${head}\n\n${task.prompt}`, '--session-id', session]
}

function hasTranscript(session: string, place: { home: string | undefined; projectRoot: string }): boolean {
  try {
    return existsSync(findSession(session, place).transcript)
  } catch {
    // There is no such session yet.
    return false
  }
}
