import type { RuleSource } from '../../contract/permission/context.js'
import { isRecord } from '../../shared/is-record.js'
import { readTextFile } from '../files/read-text-file.js'
import type { SettingsDialect } from '../files/settings-files.js'
import { type JsoncNode, parseJsonc, toValue } from '../jsonc/parse-jsonc.js'
import { createSettingsProblem, ProblemLog, type SettingsOrigin, type SettingsProblem } from './settings-problem.js'
import type { Settings } from './settings-schema.js'
import { checkServers, validateSettings } from './validate-settings.js'

/** The settings of one file or option, and their problems. */
export interface ReadSettings {
  readonly settings: Settings
  readonly problems: readonly SettingsProblem[]
  /** False if a setting that can make Haft stricter may have been ignored: see `isRestrictive` of validate-settings.ts. */
  readonly isComplete: boolean
}

/** The settings of one file or option. A source can have several layers, highest precedence first. */
export interface SettingsLayer extends ReadSettings {
  readonly origin: SettingsOrigin
  /** The folder that relative directories of this layer are resolved against. */
  readonly base: string
}

const UNTIL_FIXED_NOTE = 'Until it is fixed, only its readable deny and ask rules apply.'

/** Reads settings from JSON with comments. If the text is malformed, the deny and ask rules before the fault still apply. */
export function readSettingsText(
  text: string,
  origin: SettingsOrigin,
  dialect: SettingsDialect = 'haft',
): ReadSettings {
  const { root, fault } = parseJsonc(text)
  const log = new ProblemLog(origin, text, root)
  if (fault !== undefined || root === undefined) {
    const isEmpty = text.trim() === ''
    const description = isEmpty ? 'the file is empty; write {} or delete it' : (fault?.message ?? 'cannot be parsed')
    if (dialect === 'mcp') {
      log.addAt('error', `${description}. Until it is fixed, none of its servers are started.`, fault?.offset)
      return toReadSettings({}, log)
    }
    // The note is only for files: a malformed `--settings` option ends the command.
    const note = origin.source === 'flagSettings' ? '' : ` ${UNTIL_FIXED_NOTE}`
    log.addAt('error', `${description}.${note}`, fault?.offset)
    log.isComplete = false
    return toReadSettings(validateSettings(root === undefined ? {} : salvageRules(root), origin.source, log), log)
  }
  return readValue(toValue(root), origin, log, dialect)
}

/** Checks settings that were passed as an object. */
export function readSettingsValue(value: unknown, origin: SettingsOrigin): ReadSettings {
  return readValue(value, origin, new ProblemLog(origin), 'haft')
}

function readValue(value: unknown, origin: SettingsOrigin, log: ProblemLog, dialect: SettingsDialect): ReadSettings {
  if (dialect === 'mcp') return toReadSettings(keepServers(value, log), log)
  return toReadSettings(
    validateSettings(dialect === 'claude' ? fromClaudeSettings(value) : value, origin.source, log),
    log,
  )
}

/**
 * Returns the servers of a file. A file with nothing but servers cannot make Haft stricter, so its problems do not make the
 * settings incomplete.
 */
function keepServers(value: unknown, log: ProblemLog): Settings {
  const servers = isRecord(value) ? (value.mcpServers ?? {}) : undefined
  if (!isRecord(servers)) {
    log.add('error', 'the file must contain an object with the servers under "mcpServers". No server is started.', [
      'mcpServers',
    ])
    return {}
  }
  checkServers(servers, log)
  return { mcpServers: servers }
}

function toReadSettings(settings: Settings, log: ProblemLog): ReadSettings {
  return { settings, problems: log.problems, isComplete: log.isComplete }
}

/** Returns all deny and ask rules of a malformed file, from every occurrence of a duplicate key. */
function salvageRules(root: JsoncNode): Settings {
  const permissions = membersOf(root, 'permissions')
  return { permissions: { deny: rulesOf(permissions, 'deny'), ask: rulesOf(permissions, 'ask') } }
}

function rulesOf(permissions: readonly JsoncNode[], list: string): string[] {
  return permissions
    .flatMap((node) => membersOf(node, list))
    .flatMap((node) => toValue(node))
    .filter((rule) => typeof rule === 'string')
}

function membersOf(node: JsoncNode, key: string): readonly JsoncNode[] {
  return node.kind === 'object' ? node.members.filter((member) => member.key === key).map(({ value }) => value) : []
}

/** Reads a settings file; undefined if it does not exist. An unreadable file is reported as a problem. */
export async function readSettingsFile(
  file: string,
  source: RuleSource,
  dialect: SettingsDialect = 'haft',
): Promise<ReadSettings | undefined> {
  const origin = { source, file, name: file }
  const textFile = await readTextFile(file)
  if (textFile.kind === 'absent') return undefined
  if (textFile.kind === 'text') return readSettingsText(textFile.text, origin, dialect)
  // While a command runs, the sandbox mounts an empty folder at this path to prevent the creation of `.mcp.json`.
  if (dialect === 'mcp' && textFile.isFolder) return undefined
  const problem = createSettingsProblem('error', origin, `${textFile.reason}. It is ignored.`)
  return { settings: {}, problems: [problem], isComplete: dialect === 'mcp' }
}

/** Converts a `.claude` settings file: permissions and hooks, under Haft's key names. */
function fromClaudeSettings(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { permissions, hooks } = value
  return {
    ...(permissions !== undefined && { permissions: selectKnownPermissions(permissions) }),
    ...(hooks !== undefined && { hooks }),
  }
}

function selectKnownPermissions(permissions: unknown): unknown {
  if (!isRecord(permissions)) return permissions
  const { allow, deny, ask, defaultMode, additionalDirectories, disableBypassPermissionsMode } = permissions
  const knownFields = { allow, deny, ask, defaultMode, additionalDirectories }
  return {
    ...Object.fromEntries(Object.entries(knownFields).filter(([, value]) => value !== undefined)),
    ...(disableBypassPermissionsMode === 'disable' && { disableModes: ['bypassPermissions'] }),
  }
}
