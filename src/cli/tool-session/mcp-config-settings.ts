import { resolve } from 'node:path'
import { readTextFile } from '../../settings/files/read-text-file.js'
import { parseJsonc, toValue } from '../../settings/jsonc/parse-jsonc.js'
import { isRecord } from '../../shared/is-record.js'
import { UsageError } from '../io/exit.js'

/** Returns the servers of `--mcp-config`, from files or JSON. A later server replaces an earlier one of the same name. */
export async function loadMcpConfigSettings(
  values: readonly string[] | undefined,
  cwd: string,
): Promise<{ readonly mcpServers?: Record<string, unknown> }> {
  if (values === undefined) return {}
  const records = await Promise.all(values.map((value) => readServers(value, cwd)))
  return { mcpServers: Object.fromEntries(records.flatMap((record) => Object.entries(record))) }
}

async function readServers(fileOrJson: string, cwd: string): Promise<Record<string, unknown>> {
  const isJson = fileOrJson.trimStart().startsWith('{')
  const origin = isJson ? '--mcp-config' : resolve(cwd, fileOrJson)
  const { root, fault } = parseJsonc(isJson ? fileOrJson : await readConfigFile(origin))
  if (fault !== undefined || root === undefined)
    throw new UsageError(`${origin}: ${fault?.message ?? 'the file is empty'}.`)
  const value = toValue(root)
  if (isRecord(value) && isRecord(value.mcpServers)) return value.mcpServers
  throw new UsageError(`${origin}: the object "mcpServers" is missing. Write {"mcpServers": {"NAME": {…}}}.`)
}

async function readConfigFile(path: string): Promise<string> {
  const file = await readTextFile(path)
  if (file.kind === 'text') return file.text
  throw new UsageError(
    `${path} ${file.kind === 'failed' ? file.reason : 'does not exist'}; --mcp-config takes a file or JSON.`,
  )
}
