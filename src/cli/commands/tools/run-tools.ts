import { chooseTools, UnknownToolChoiceError } from '../../../assembly/choose-tools.js'
import { createAssembly } from '../../../assembly/create-assembly.js'
import { readEnvironment } from '../../../assembly/read-environment.js'
import { createPermissionContext } from '../../../contract/permission-context.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { parseOptions } from '../../parse-options.js'
import { asUsageError, UsageError } from '../../usage-error.js'
import { listedTools } from './listed-tools.js'
import { toolRow } from './tool-row.js'
import { toolTable } from './tool-table.js'

export async function runTools(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    json: { type: 'boolean', default: false },
    tools: { type: 'string', default: 'default' },
    bare: { type: 'boolean', default: false },
  })
  const { environment, warnings } = readEnvironment(
    values.bare ? { ...io.variables, HAFT_SIMPLE: '1' } : io.variables,
    io.platform,
  )
  for (const warning of warnings) io.err(`haft: ${warning}\n`)
  const assembly = createAssembly({ baseTools: await listedTools(environment), env: environment })
  const pool = assembly.assembleToolPool(createPermissionContext(), [])

  const [action, ...names] = positionals
  if (action === 'show') {
    const [name] = names
    if (name === undefined || names.length > 1)
      throw new UsageError('say which one tool to show: haft tools show NAME.')
    const { showTool } = await import('./show-tool.js')
    return showTool(io, name, { json: values.json, pool })
  }
  if (action !== undefined) throw new UsageError(`tools cannot ${quote(action)}. See haft tools --help.`)

  const rows = choose(pool, values.tools).map(toolRow)
  io.out(values.json ? `${JSON.stringify(rows, null, 2)}\n` : toolTable(rows, io.columns))
  return EXIT.done
}

function choose<T extends { readonly name: string }>(pool: readonly T[], choice: string): readonly T[] {
  try {
    return chooseTools(pool, choice)
  } catch (error) {
    throw error instanceof UnknownToolChoiceError ? asUsageError(error) : error
  }
}
