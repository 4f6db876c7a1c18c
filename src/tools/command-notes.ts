import type { Confinement, ShellOutcome } from '../contract/ports/shell.js'
import { type CommandInput, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from './command-input.js'
import type { ExitMeaning } from './exit-meaning.js'
import { refusalNotes } from './refusal-notes.js'

interface Around {
  readonly input: CommandInput
  readonly manner: { readonly confinement?: Confinement }
  readonly meaning: ExitMeaning | undefined
}

/** All that a model should know of the end of a command beside its output. */
export function commandNotes(outcome: ShellOutcome, around: Around): readonly string[] {
  const { input } = around
  return [
    ...endOf(outcome, around),
    ...(outcome.output.isCut && outcome.signal !== null
      ? ['It was stopped because it printed more than can be kept.']
      : []),
    ...refusalNotes(outcome, { asked: around.manner.confinement, canLeave: input.dangerouslyDisableSandbox !== true }),
    ...((input.timeout ?? 0) > MAX_TIMEOUT_MS
      ? [`The time limit of ${input.timeout} ms was cut to ${MAX_TIMEOUT_MS} ms, the most there is.`]
      : []),
  ]
}

function endOf(outcome: ShellOutcome, { input, meaning }: Around): readonly string[] {
  const { exitCode, signal, timedOut, taskId } = outcome
  const seconds = Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS) / 1000
  if (taskId !== undefined) {
    const told = `It still ran after ${seconds} s and goes on in the background as task ${taskId}.`
    return [`${told} TaskOutput reads what it prints from here on, TaskStop ends it.`]
  }
  if (timedOut) {
    const advice = `Give it more time with timeout (at most ${MAX_TIMEOUT_MS} ms), or use run_in_background.`
    return [`It was ended at its limit of ${seconds} s; the output above is what it had printed by then. ${advice}`]
  }
  if (signal !== null) return [`It was ended by ${signal}.`]
  if (exitCode === 0 || exitCode === null) return []
  return [meaning === undefined ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${meaning.text}.`]
}
