import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type LoadedSettings, loadSettings } from '../../settings/load-settings.js'
import { PROJECT_SOURCES } from '../../settings/merge/restrict-layers.js'
import { isRecord } from '../../shared/is-record.js'

/** What to do about settings that are ignored, in messages. */
export const TRUST_ADVICE = 'run haft trust, or use --trust for this run'

/** Maximum number of lines for one kind of setting. A cloned project could contain any number of rules. */
const MAX_LINES = 20

const DEFINITION_FOLDERS = [
  { name: '.haft/skills', isDefinition: isSkillFolder },
  { name: '.claude/skills', isDefinition: isSkillFolder },
  { name: '.haft/agents', isDefinition: isMarkdownFile },
  { name: '.claude/agents', isDefinition: isMarkdownFile },
  { name: '.haft/commands', isDefinition: isSkillFolder },
  { name: '.claude/commands', isDefinition: isSkillFolder },
]

/** Returns the folders with skills, agents and commands of a project, which only a trusted project may define. */
export async function listDefinitionFolders(projectRoot: string): Promise<readonly string[]> {
  const nonEmptyFolders = await Promise.all(
    DEFINITION_FOLDERS.map(async ({ name, isDefinition }) =>
      (await readNames(join(projectRoot, name))).some(isDefinition) ? [name] : [],
    ),
  )
  return nonEmptyFolders.flat()
}

/** Returns what trusting the project would switch on, one line each. Empty if it defines nothing that needs trust. */
export async function describeTrust({ cwd, home }: { readonly cwd: string; readonly home: string }) {
  const load = (isTrusted: boolean) => loadSettings({ cwd, home, isTrusted: () => isTrusted })
  const [untrusted, trusted] = await Promise.all([load(false), load(true)])
  const withheld = untrusted.withheld.filter(({ reason }) => reason === 'untrusted')
  const folders = await listDefinitionFolders(trusted.projectRoot)
  return [
    ...withheld.map(({ file, source, keys }) => `${file ?? source}: ${keys.join(', ')}`),
    ...limitLines('allowed without a question', listAllowRules(trusted)),
    ...limitLines('hook', listHookCommands(trusted)),
    ...limitLines('MCP server', listServers(trusted)),
    ...folders.map((name) => `files in ${name}`),
  ]
}

function listAllowRules({ permissionContext }: LoadedSettings): readonly string[] {
  return PROJECT_SOURCES.flatMap((source) => permissionContext.alwaysAllowRules[source] ?? [])
}

function listHookCommands({ hooks }: LoadedSettings): readonly string[] {
  const projectHooks = hooks.filter(({ source }) => PROJECT_SOURCES.includes(source))
  return projectHooks.flatMap((layer) =>
    Object.entries(layer.hooks).flatMap(([event, entries]) => {
      const commands = findTexts(entries, ['command', 'url', 'prompt'])
      return commands.length === 0 ? [event] : commands.map((command) => `${event}: ${command}`)
    }),
  )
}

function listServers({ mcpServers }: LoadedSettings): readonly string[] {
  const projectServers = mcpServers.filter(({ source }) => PROJECT_SOURCES.includes(source))
  return projectServers.flatMap(({ servers }) =>
    Object.entries(servers).map(([name, entry]) => {
      const { command, args, url } = isRecord(entry) ? entry : {}
      const words = [command, ...(Array.isArray(args) ? args : []), url]
      return `${name}: ${words.filter((word) => typeof word === 'string').join(' ')}`
    }),
  )
}

/** Returns the texts of these members, however deep they are. */
function findTexts(value: unknown, names: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => findTexts(each, names))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && names.includes(name) ? [member] : findTexts(member, names),
  )
}

function limitLines(kind: string, texts: readonly string[]): readonly string[] {
  const lines = texts.slice(0, MAX_LINES).map((text) => `${kind}: ${text}`)
  return texts.length > MAX_LINES ? [...lines, `${kind}: ${texts.length - MAX_LINES} more`] : lines
}

function isSkillFolder(name: string): boolean {
  return !name.startsWith('.')
}

function isMarkdownFile(name: string): boolean {
  return /\.md$/i.test(name)
}

async function readNames(folder: string): Promise<readonly string[]> {
  // Usually the folder does not exist; that is not an error.
  return readdir(folder).catch(() => [])
}
