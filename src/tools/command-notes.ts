import type { ShellOutcome } from '../contract/ports/shell.js'
import { type CommandInput, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from './command-input.js'
import type { ExitMeaning } from './exit-meaning.js'

interface Around {
  readonly input: CommandInput
  readonly manner: { readonly looksAtMachine?: boolean }
  readonly meaning: ExitMeaning | undefined
  /** Background work can be read there. */
  readonly hasTasks: boolean
}

/** All that a model should know of the end of a command beside its output. */
export function commandNotes(outcome: ShellOutcome, around: Around): readonly string[] {
  const { input, manner } = around
  return [
    ...endOf(outcome, around),
    ...leftRunning(outcome, around),
    ...(outcome.output.isCut && outcome.signal !== null
      ? ['It was stopped because it printed more than can be kept.']
      : []),
    ...outcome.refusals,
    ...(manner.looksAtMachine === true && outcome.confinement !== 'none' ? [OWN_VIEW] : []),
    ...((input.timeout ?? 0) > MAX_TIMEOUT_MS
      ? [`The time limit of ${input.timeout} ms was cut to ${MAX_TIMEOUT_MS} ms, the most there is.`]
      : []),
  ]
}

/** Who starts a server with `&` would otherwise look for it in vain. */
function leftRunning({ leftRunning: count = 0 }: ShellOutcome, { hasTasks }: Around): readonly string[] {
  if (count === 0) return []
  const instead = hasTasks ? ' For what shall go on use run_in_background.' : ''
  return [`What it left running (${count === 1 ? 'a process' : `${count} processes`}) was ended with it.${instead}`]
}

const OWN_VIEW =
  'It ran in a sandbox, which has processes, devices and a network of its own: this tells nothing of those of the machine. To see them, call again with dangerouslyDisableSandbox: the user decides.'

function endOf(outcome: ShellOutcome, { input, meaning, hasTasks }: Around): readonly string[] {
  const { exitCode, signal, timedOut, taskId } = outcome
  const seconds = Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS) / 1000
  if (taskId !== undefined) {
    const told = `It still ran after ${seconds} s and goes on in the background as task ${taskId}.`
    return [`${told} TaskOutput reads what it prints from here on, TaskStop ends it.`]
  }
  if (timedOut) {
    const instead = hasTasks ? ', or use run_in_background' : ''
    const advice = `Give it more time with timeout (at most ${MAX_TIMEOUT_MS} ms)${instead}.`
    return [`It was ended at its limit of ${seconds} s; the output above is what it had printed by then. ${advice}`]
  }
  if (signal !== null) return [`It was ended by ${signal}.`]
  if (exitCode === 0 || exitCode === null) return []
  return [meaning === undefined ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${meaning.text}.`]
}
