import type { RuleSource } from '../contract/permission-context.js'
import { type ReadSettings, readSettingsText, type SettingsDialect } from './read-settings-text.js'
import { readTextFile } from './read-text-file.js'
import { settingsProblem } from './settings-problem.js'

/** Reads one settings file; undefined if there is none. A file that cannot be read is a problem, not an absence. */
export async function readSettingsFile(
  file: string,
  source: RuleSource,
  dialect: SettingsDialect = 'haft',
): Promise<ReadSettings | undefined> {
  const place = { source, file, name: file }
  const read = await readTextFile(file)
  if (read.kind === 'absent') return undefined
  if (read.kind === 'text') return readSettingsText(read.text, place, dialect)
  // The sandbox puts an empty folder where no `.mcp.json` may come into being while a command runs.
  if (dialect === 'mcp' && read.isFolder) return undefined
  const problem = settingsProblem('error', place, `${read.reason}. Nothing of it is in force.`)
  return { settings: {}, problems: [problem], isComplete: dialect === 'mcp' }
}
