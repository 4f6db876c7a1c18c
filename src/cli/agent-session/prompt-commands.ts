import type { Skill } from '../../contract/tool/context.js'
import type { McpServers } from '../../mcp/manager/create-mcp-servers.js'
import { type CustomCommand, loadCommands } from '../../session/commands/load-commands.js'
import { fillPlaceholders, splitArguments } from '../../shared/fill-placeholders.js'
import { isRecord } from '../../shared/is-record.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { UsageError } from '../io/exit.js'
import { warn } from '../io/warn.js'
import { createRestrictionLookup } from './load-project-context.js'
import type { OpenedSession } from './opened-session.js'

/** A slash command that expands to a prompt: a command file, a skill, or a prompt of an MCP server. */
export interface PromptCommand {
  readonly name: string
  readonly description: string
  readonly argumentHint?: string
  readonly source: string
  expand(args: string, signal: AbortSignal): Promise<string>
}

type PromptCommandSession = Pick<OpenedSession, 'session' | 'toolSession' | 'projectContext' | 'servers'>

interface PromptCommandSources {
  readonly commands: readonly CustomCommand[]
  readonly skills: readonly Skill[]
  readonly servers: McpServers | undefined
}

/** Loads the prompt commands of a session. */
export async function loadPromptCommands(
  { session, toolSession, projectContext, servers }: PromptCommandSession,
  io: CommandIo,
  host: CommandHost,
): Promise<readonly PromptCommand[]> {
  const { projectRoot, isTrusted, permissionContext } = toolSession.settings
  const { cwd, homeDir } = host
  const findRestriction = createRestrictionLookup(permissionContext, { cwd, projectRoot, homeDir })
  const onProblem = (problem: string) => warn(io, problem)
  const commands = await loadCommands({ projectRoot, home: homeDir, isTrusted, onProblem, findRestriction })
  const promptCommands = listPromptCommands({ commands, skills: projectContext.skills, servers })
  return promptCommands.map((command) => ({
    ...command,
    expand: (args, signal) => expandWithHooks(command, args, session, signal),
  }))
}

async function expandWithHooks(
  { name, source, expand }: PromptCommand,
  args: string,
  session: OpenedSession['session'],
  signal: AbortSignal,
): Promise<string> {
  const prompt = await expand(args, signal)
  const expansion = { command_name: name, command_args: args, command_source: source, prompt }
  const objection = await session.expanding(expansion)
  if (objection !== undefined) throw new UsageError(`a hook blocked /${name}: ${objection}`)
  return prompt
}

/** Lists the commands from all sources. If several have the same name, the first in this order takes precedence. */
function listPromptCommands({ commands, skills, servers }: PromptCommandSources): readonly PromptCommand[] {
  const all = [
    ...commands.map(
      ({ name, description, argumentHint, source, expand }): PromptCommand => ({
        ...{ name, description, source: `${source} command` },
        ...(argumentHint !== undefined && { argumentHint }),
        expand: async (args) => expand(args),
      }),
    ),
    ...skills.map(createSkillCommand),
    ...createServerCommands(servers),
  ]
  return all.filter(({ name }, index) => all.findIndex((otherCommand) => otherCommand.name === name) === index)
}

/** Expands a text that starts with the name of a prompt command. Returns undefined for any other text. */
export async function expandPrompt(
  text: string,
  commands: readonly PromptCommand[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [, name, args = ''] = /^\/([A-Za-z0-9][\w.:-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  return commands.find((command) => command.name === name)?.expand(args.trim(), signal)
}

/** Puts the instructions of the skill into the prompt, so that skills that the model may not start itself also work. */
function createSkillCommand({ name, description, skill }: Skill): PromptCommand {
  return {
    ...{ name, description, source: 'skill' },
    async expand(args) {
      const text = fillPlaceholders(await skill.read(), { args, folder: skill.folder })
      return `Follow the skill ${name}. Its folder is ${skill.folder}; paths in it are relative to that folder.\n\n${text}`
    },
  }
}

function createServerCommands(servers: McpServers | undefined): readonly PromptCommand[] {
  return (servers?.prompts() ?? []).map((prompt) => ({
    name: `mcp__${prompt.server}__${prompt.name}`,
    description: prompt.description,
    source: `MCP server ${prompt.server}`,
    ...(prompt.arguments.length > 0 && {
      argumentHint: prompt.arguments.map(({ name, required }) => (required ? name : `[${name}]`)).join(' '),
    }),
    async expand(args, signal) {
      const server = servers?.get(prompt.server)
      if (server === undefined) throw new Error(`The MCP server ${prompt.server} is not connected.`)
      const values = readArguments(prompt.arguments, args)
      const { entries } = await server.request('prompts/get', { name: prompt.name, arguments: values }, { signal })
      return entries.flatMap(textOfMessage).join('\n\n')
    },
  }))
}

/** Assigns words to arguments in order. The last argument takes the rest. */
function readArguments(
  parameters: readonly { readonly name: string; readonly required: boolean }[],
  args: string,
): Readonly<Record<string, string>> {
  const words = splitArguments(args)
  const missingParameters = parameters.filter(({ required }, index) => required && (words[index] ?? '') === '')
  if (missingParameters.length > 0)
    throw new UsageError(`missing arguments: ${missingParameters.map(({ name }) => name).join(', ')}`)
  return Object.fromEntries(
    parameters.flatMap(({ name }, index) => {
      const isLast = index === parameters.length - 1
      const value = isLast ? words.slice(index).join(' ') : words[index]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
}

function textOfMessage(message: unknown): readonly string[] {
  if (!isRecord(message)) return []
  const { content } = message
  if (isRecord(content) && typeof content.text === 'string') return [content.text]
  if (isRecord(content) && isRecord(content.resource) && typeof content.resource.text === 'string')
    return [content.resource.text]
  return []
}
