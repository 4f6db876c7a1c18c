import type { Tools } from '../../contract/tool/tool.js'
import { didYouMean } from '../../shared/did-you-mean.js'
import { quote } from '../../shared/quote.js'
import { UsageError } from '../io/exit.js'

/** The complaint about a tool name that means nothing. */
export function unknownTool(name: string, tools: Tools): UsageError {
  const known = tools.map((tool) => tool.name)
  return new UsageError(`there is no tool ${quote(name)}.${didYouMean(name, known)} See haft tools.`)
}
