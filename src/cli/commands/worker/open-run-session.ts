import type { Message } from '../../../contract/messages.js'
import type { RunSpec } from '../../../fleet/runs/run-spec.js'
import type { OpenRunSession, RunSession } from '../../../fleet/worker/run-host.js'
import { openAgentSession } from '../../agent-session/open-agent-session.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { readAgentOptions } from '../../options/agent-options.js'

/** Variables of the fleet itself, which no run may read. */
const FLEET_VARIABLES = /^(?:DATABASE_URL|PG[A-Z]+|HAFT_FLEET_\w+)$/

/** Returns the variables that runs may use: all but those of the fleet. */
function removeFleetVariables(variables: CommandIo['variables']): CommandIo['variables'] {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !FLEET_VARIABLES.test(name)))
}

export function isFleetVariable(name: string): boolean {
  return FLEET_VARIABLES.test(name)
}

/**
 * Creates the function that opens the session of a run, as `haft -p` does. Options of the worker take precedence over those of a run, so that a tenant
 * cannot get more than the operator allows.
 */
export function createOpenRunSession(
  io: CommandIo,
  host: CommandHost,
  workerOptions: readonly string[],
): OpenRunSession {
  const variables = removeFleetVariables(io.variables)
  return async ({ runId, spec, cwd, sessionHome, isResumed, onLine, waitUntilRecorded, schedule, user, log }) => {
    const sessionArguments = isResumed ? [`--resume=${runId}`] : [`--session-id=${runId}`]
    const options = readAgentOptions(['-p', ...toArguments(spec), ...workerOptions, ...sessionArguments])
    const runIo: CommandIo = {
      ...{ args: [], variables, platform: io.platform, homeDir: io.homeDir, isTerminal: false, columns: undefined },
      out: () => {},
      err: (text) => log(`run ${runId}: ${text.trimEnd()}`),
      host: async () => runHost,
    }
    const runHost = createRunHost(host, cwd)
    const session = await openAgentSession(runIo, runHost, options, user ?? {}, {
      ...{ home: sessionHome, onLine, waitUntilRecorded, schedule },
    })
    return toRunSession(session, isResumed)
  }
}

function toArguments(spec: RunSpec): readonly string[] {
  const values: Readonly<Record<string, string | number | undefined>> = {
    model: spec.model,
    'append-system-prompt': spec.systemPromptAddition,
    tools: spec.tools,
    'allowed-tools': spec.allowedTools,
    'disallowed-tools': spec.disallowedTools,
    'permission-mode': spec.permissionMode,
    'max-turns': spec.maxTurns,
    'max-budget-usd': spec.maxBudgetUsd,
  }
  // One argument each, so that no value is read as an option.
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
}

/** A host without terminal and signals: the worker decides when a run ends. */
function createRunHost(host: CommandHost, cwd: string): CommandHost {
  const neverAborted = new AbortController().signal
  return {
    ...{ cwd, homeDir: host.homeDir, isRoot: host.isRoot },
    ...{ isInteractive: false, hasErrorTerminal: false, hasPipedInput: false },
    async *input() {},
    write: async () => {},
    readLine: async () => undefined,
    openBrowser: async () => {},
    interruption: () => ({ signal: neverAborted, exitCode: undefined }),
  }
}

function toRunSession(opened: OpenedSession, isResumed: boolean): RunSession {
  const { session } = opened
  return {
    finishedAnswer: isResumed ? findFinalAnswer(session.conversation.messages) : undefined,
    get spent() {
      const { tokens, costUsd } = session.spending
      return { tokens, costUsd }
    },
    addNotice: (text) => opened.addNotice(text),
    ask: (prompt, options) => opened.ask(prompt, options),
    dispose: () => opened.dispose(),
  }
}

/** Returns the text of the last message if it is an answer without calls. */
function findFinalAnswer(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1)
  if (last?.type !== 'assistant' || last.content.some((block) => block.type === 'tool_use')) return undefined
  return last.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
