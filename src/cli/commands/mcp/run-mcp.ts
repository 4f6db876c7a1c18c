import { didYouMean } from '../../../shared/nearest-names.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'

type RunCommand = (io: CommandIo) => Promise<number>

/** Each subcommand is loaded when it runs. */
const MCP_COMMANDS: Readonly<Record<string, () => Promise<RunCommand>>> = {
  add: async () => (await import('./run-add.js')).runAdd,
  list: async () => (await import('./manage-servers.js')).runList,
  get: async () => (await import('./manage-servers.js')).runGet,
  approve: async () => (await import('./manage-servers.js')).runApprove,
  remove: async () => (await import('./manage-servers.js')).runRemove,
  test: async () => (await import('./run-test.js')).runTest,
  import: async () => (await import('./import/run-import.js')).runImport,
  install: async () => (await import('./install/run-install.js')).runInstall,
  search: async () => (await import('./search-registry.js')).runSearch,
  serve: async () => (await import('./run-serve.js')).runServe,
}

export async function runMcp(io: CommandIo): Promise<number> {
  const [name, ...args] = io.args
  const names = Object.keys(MCP_COMMANDS)
  if (name === undefined) throw new UsageError(`missing subcommand: haft mcp ${names.join('|')}. See haft mcp --help.`)
  const load = Object.hasOwn(MCP_COMMANDS, name) ? MCP_COMMANDS[name] : undefined
  if (load === undefined)
    throw new UsageError(
      `unknown subcommand ${quote(name)} of haft mcp.${didYouMean(name, names)} See haft mcp --help.`,
    )
  const run = await load()
  return run({ ...io, args })
}
