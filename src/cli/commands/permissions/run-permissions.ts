import type { CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { SETTINGS_OPTIONS } from '../../options/settings-options.js'

/** Shows permission decisions without running anything. */
export async function runPermissions(io: CommandIo): Promise<number> {
  const [action, ...args] = io.args
  if (action === 'explain') return explain({ ...io, args })
  if (action === 'check') return check({ ...io, args })
  throw new UsageError(
    action === undefined
      ? 'missing subcommand: haft permissions explain|check. See haft permissions --help.'
      : `unknown subcommand ${JSON.stringify(action)} of haft permissions. See haft permissions --help.`,
  )
}

async function explain(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    json: { type: 'boolean', default: false },
  })
  const [toolName, inputArgument, ...others] = positionals
  if (toolName === undefined || inputArgument === undefined || others.length > 0)
    throw new UsageError("expected a tool and its input: haft permissions explain TOOL '{…}'.")
  const { explainCall } = await import('./explain-call.js')
  return explainCall(io, { toolName, inputArgument, json: values.json, values })
}

async function check(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    jsonl: { type: 'boolean', default: false },
    trust: { type: 'boolean', default: false },
  })
  if (!values.jsonl || positionals.length > 0)
    throw new UsageError('check accepts only JSON lines from standard input: haft permissions check --jsonl.')
  const host = await io.host()
  const [{ checkLines }, { PermissionSource }, { findSandboxStatus }] = await Promise.all([
    import('./check-lines.js'),
    import('./permission-source.js'),
    import('../../tool-session/sandbox-status.js'),
  ])
  const onProblem = (message: string) => warn(io, message)
  const canConfine = async () => (await findSandboxStatus(io)).isAvailable
  return checkLines(host, new PermissionSource({ homeDir: host.homeDir, trust: values.trust, onProblem, canConfine }))
}
