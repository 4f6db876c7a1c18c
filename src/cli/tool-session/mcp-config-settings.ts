import { resolve } from 'node:path'
import { readTextFile } from '../../settings/files/read-text-file.js'
import { jsoncValue, parseJsonc } from '../../settings/jsonc/parse-jsonc.js'
import { isRecord } from '../../shared/is-record.js'
import { UsageError } from '../io/exit.js'

/** The servers of `--mcp-config`, from files or JSON. A later server replaces an earlier one of the same name. */
export async function mcpConfigSettings(
  given: readonly string[] | undefined,
  cwd: string,
): Promise<{ readonly mcpServers?: Record<string, unknown> }> {
  if (given === undefined) return {}
  const records = await Promise.all(given.map((each) => readServers(each, cwd)))
  return { mcpServers: Object.fromEntries(records.flatMap((record) => Object.entries(record))) }
}

async function readServers(given: string, cwd: string): Promise<Record<string, unknown>> {
  const isText = given.trimStart().startsWith('{')
  const place = isText ? '--mcp-config' : resolve(cwd, given)
  const { root, fault } = parseJsonc(isText ? given : await textOf(place))
  if (fault !== undefined || root === undefined)
    throw new UsageError(`${place}: ${fault?.message ?? 'the file is empty'}.`)
  const value = jsoncValue(root)
  if (isRecord(value) && isRecord(value.mcpServers)) return value.mcpServers
  throw new UsageError(`${place}: the object "mcpServers" is missing.`)
}

async function textOf(path: string): Promise<string> {
  const read = await readTextFile(path)
  if (read.kind === 'text') return read.text
  throw new UsageError(
    `${path} ${read.kind === 'failed' ? read.reason : 'does not exist'}; --mcp-config takes a file or JSON.`,
  )
}
