import type { CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { SETTINGS_OPTIONS } from '../../options/settings-options.js'

/** Asks the permission system; runs nothing. */
export async function runPermissions(io: CommandIo): Promise<number> {
  const [action, ...args] = io.args
  if (action === 'explain') return explain({ ...io, args })
  if (action === 'check') return check({ ...io, args })
  const asked = action === undefined ? 'be asked nothing' : JSON.stringify(action)
  throw new UsageError(`permissions cannot ${asked}; see haft permissions --help.`)
}

async function explain(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    json: { type: 'boolean', default: false },
  })
  const [toolName, written, ...others] = positionals
  if (toolName === undefined || written === undefined || others.length > 0)
    throw new UsageError("say which call to explain: haft permissions explain TOOL '{…}'.")
  const { explainCall } = await import('./explain-call.js')
  return explainCall(io, { toolName, written, json: values.json, values })
}

async function check(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    jsonl: { type: 'boolean', default: false },
    trust: { type: 'boolean', default: false },
  })
  if (!values.jsonl || positionals.length > 0)
    throw new UsageError('check reads lines of JSON from standard input: haft permissions check --jsonl.')
  const host = await io.host()
  const [{ checkLines }, { PermissionSource }] = await Promise.all([
    import('./check-lines.js'),
    import('./permission-source.js'),
  ])
  const onProblem = (message: string) => warn(io, message)
  return checkLines(host, new PermissionSource({ homeDir: host.homeDir, trust: values.trust, onProblem }))
}
