import type { Tools } from '../../contract/tool/tool.js'
import { didYouMean } from '../../shared/nearest-names.js'
import { quote } from '../../shared/quote.js'
import { UsageError } from '../io/exit.js'

/** Creates the error for an unknown tool. The message suggests a similar tool name, if there is one. */
export function createUnknownToolError(name: string, tools: Tools): UsageError {
  const knownNames = tools.map((tool) => tool.name)
  return new UsageError(`unknown tool ${quote(name)}.${didYouMean(name, knownNames)} See haft tools.`)
}
