import type { RuleSource } from '../../contract/permission/context.js'
import { isRecord } from '../../shared/is-record.js'
import { readTextFile } from '../files/read-text-file.js'
import type { SettingsDialect } from '../files/settings-files.js'
import { type JsoncNode, jsoncValue, parseJsonc } from '../jsonc/parse-jsonc.js'
import { ProblemLog, type ProblemPlace, type SettingsProblem, settingsProblem } from './settings-problem.js'
import type { Settings } from './settings-schema.js'
import { checkServers, validateSettings } from './validate-settings.js'

/** The settings of one file or option, and how far they can be relied on. */
export interface ReadSettings {
  readonly settings: Settings
  readonly problems: readonly SettingsProblem[]
  /** False where a deny or ask rule, a mode, a hook or a switch may have been lost. */
  readonly isComplete: boolean
}

/** The settings of one place. Several layers can belong to one source, the higher first. */
export interface SettingsLayer extends ReadSettings {
  readonly place: ProblemPlace
  /** Where relative directories of this layer count from. */
  readonly base: string
}

const UNTIL_CORRECTED = 'Until it is corrected, only its deny and ask rules that can be read are in force.'

/** Reads JSON with comments. Of a broken text the deny and ask rules before the fault stay in force. */
export function readSettingsText(text: string, place: ProblemPlace, dialect: SettingsDialect = 'haft'): ReadSettings {
  const { root, fault } = parseJsonc(text)
  const log = new ProblemLog(place, text, root)
  if (fault !== undefined || root === undefined) {
    const isEmpty = text.trim() === ''
    const what = isEmpty ? 'is empty; write {} or delete it' : (fault?.message ?? 'cannot be read')
    if (dialect === 'mcp') {
      log.addAt('error', `${what}. Until it is corrected, none of its servers is started.`, fault?.offset)
      return finish({}, log)
    }
    // Nobody goes on with an option that is broken; a file may be somebody else's.
    const until = place.source === 'flagSettings' ? '' : ` ${UNTIL_CORRECTED}`
    log.addAt('error', `${what}.${until}`, fault?.offset)
    log.isComplete = false
    return finish(validateSettings(root === undefined ? {} : salvaged(root), place.source, log), log)
  }
  return readValue(jsoncValue(root), place, log, dialect)
}

/** Takes settings that came as an object, checked like those of a file. */
export function readSettingsValue(value: unknown, place: ProblemPlace): ReadSettings {
  return readValue(value, place, new ProblemLog(place), 'haft')
}

function readValue(value: unknown, place: ProblemPlace, log: ProblemLog, dialect: SettingsDialect): ReadSettings {
  if (dialect === 'mcp') return finish(serversOnly(value, log), log)
  return finish(validateSettings(dialect === 'claude' ? fromClaudeSettings(value) : value, place.source, log), log)
}

/** A file that can hold nothing but servers never made Haft stricter: with what is wrong in it no rule is lost. */
function serversOnly(value: unknown, log: ProblemLog): Settings {
  const servers = isRecord(value) ? (value.mcpServers ?? {}) : undefined
  if (!isRecord(servers)) {
    log.add('error', 'must be an object with the servers under "mcpServers". None is started.', ['mcpServers'])
    return {}
  }
  checkServers(servers, log)
  return { mcpServers: servers }
}

function finish(settings: Settings, log: ProblemLog): ReadSettings {
  return { settings, problems: log.problems, isComplete: log.isComplete }
}

/** Every deny and ask rule of a broken tree, of all members where a key stands twice. */
function salvaged(root: JsoncNode): Settings {
  const permissions = membersOf(root, 'permissions')
  return { permissions: { deny: rulesOf(permissions, 'deny'), ask: rulesOf(permissions, 'ask') } }
}

function rulesOf(permissions: readonly JsoncNode[], list: string): string[] {
  return permissions
    .flatMap((node) => membersOf(node, list))
    .flatMap((node) => jsoncValue(node))
    .filter((rule) => typeof rule === 'string')
}

function membersOf(node: JsoncNode, key: string): readonly JsoncNode[] {
  return node.kind === 'object' ? node.members.filter((member) => member.key === key).map(({ value }) => value) : []
}

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

/** What Haft reads of a `.claude` settings file: permissions and hooks, under the names that Haft gives them. */
export function fromClaudeSettings(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { permissions, hooks } = value
  return {
    ...(permissions !== undefined && { permissions: knownPermissions(permissions) }),
    ...(hooks !== undefined && { hooks }),
  }
}

function knownPermissions(permissions: unknown): unknown {
  if (!isRecord(permissions)) return permissions
  const { allow, deny, ask, defaultMode, additionalDirectories, disableBypassPermissionsMode } = permissions
  const known = { allow, deny, ask, defaultMode, additionalDirectories }
  return {
    ...Object.fromEntries(Object.entries(known).filter(([, part]) => part !== undefined)),
    ...(disableBypassPermissionsMode === 'disable' && { disableModes: ['bypassPermissions'] }),
  }
}
