import { chooseTools, UnknownToolChoiceError } from '../../../assembly/choose-tools.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { asUsageError, EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { SERVED_OPTIONS } from '../../options/served-options.js'
import { loadCurrentPool } from './current-pool.js'
import { formatToolTable, toToolRow } from './tool-table.js'

/** Lists, shows or searches the available tools. */
export async function runTools(io: CommandIo): Promise<number> {
  if (io.args[0] === 'search') {
    const { runSearch } = await import('./run-search.js')
    return runSearch({ ...io, args: io.args.slice(1) })
  }
  const { values, positionals } = parseOptions(io.args, {
    json: { type: 'boolean', default: false },
    why: { type: 'boolean', default: false },
    tools: { type: 'string', default: 'default' },
    bare: { type: 'boolean', default: false },
    ...SERVED_OPTIONS,
  })
  const { pool, environment, servedTools } = await loadCurrentPool(
    io,
    values,
    values.bare ? { ...io.variables, HAFT_SIMPLE: '1' } : io.variables,
  )

  const [action, ...names] = positionals
  if (action === 'show') {
    const [name] = names
    if (name === undefined || names.length > 1) throw new UsageError('expected one tool: haft tools show NAME.')
    const { showTool } = await import('./show-tool.js')
    return showTool(io, name, { json: values.json, pool, servedTools })
  }
  if (action === 'search') throw new UsageError('search must be the first argument: haft tools search QUERY.')
  if (action !== undefined)
    throw new UsageError(`unknown subcommand ${quote(action)} of haft tools. See haft tools --help.`)

  const chosenTools = choose(pool, values.tools)
  if (values.why) {
    const { explainTools } = await import('./explain-tools.js')
    io.out(
      await explainTools(chosenTools, { pool, servedTools, environment, variables: io.variables, json: values.json }),
    )
    return EXIT.done
  }
  const rows = chosenTools.map(toToolRow)
  io.out(values.json ? `${JSON.stringify(rows, null, 2)}\n` : formatToolTable(rows, io.columns))
  return EXIT.done
}

function choose<T extends { readonly name: string }>(pool: readonly T[], choice: string): readonly T[] {
  try {
    return chooseTools(pool, choice)
  } catch (error) {
    throw error instanceof UnknownToolChoiceError ? asUsageError(error) : error
  }
}
