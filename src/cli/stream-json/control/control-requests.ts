import type { McpServers } from '../../../mcp/manager/create-mcp-servers.js'
import { isRecord } from '../../../shared/is-record.js'
import { quote } from '../../../shared/quote.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import { UsageError } from '../../io/exit.js'
import { toThinking } from '../../options/program-options.js'
import type { ControlRequest } from '../schema/input-schema.js'
import { configureProgramServers } from './configure-servers.js'
import type { ProgramServers } from './program-servers.js'
import type { PromptTimes } from './prompt-times.js'

type Request = ControlRequest['request']
type Response = Readonly<Record<string, unknown>>

export interface ControlRequestsOptions {
  readonly session: OpenedSession
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly programServers: ProgramServers
  /** The servers that the program added when it started the session. */
  readonly serverNames: readonly string[]
  readonly promptTimes: PromptTimes
  /** Whether the mode may be changed to bypassPermissions. */
  readonly mayBypassPermissions: boolean
}

/** Handles the requests of a driving program about the session, except those about its prompts. */
export class ControlRequests {
  readonly #options: ControlRequestsOptions
  readonly #initialThinking: OpenedSession['session']['thinking']
  /** The servers that the program has added. */
  #serverNames: readonly string[]

  constructor(options: ControlRequestsOptions) {
    this.#options = options
    this.#initialThinking = options.session.session.thinking
    this.#serverNames = options.serverNames
  }

  /** Returns the response. Throws an error with a message for the program if the request cannot be fulfilled. */
  async handle(request: Exclude<Request, { subtype: 'initialize' | 'interrupt' }>): Promise<Response> {
    const { session } = this.#options
    switch (request.subtype) {
      case 'set_permission_mode':
        return await this.#setMode(request.mode)
      case 'set_model':
        await session.setModel(request.model ?? undefined)
        return {}
      case 'set_max_thinking_tokens': {
        const { max_thinking_tokens: tokens } = request
        session.session.thinking = tokens == null ? this.#initialThinking : toThinking(tokens)
        return {}
      }
      case 'mcp_status':
        return { mcpServers: await this.#describeServers() }
      case 'mcp_reconnect':
        await (await this.#findServer(request.serverName)).reconnect()
        return {}
      case 'mcp_toggle':
        await (await this.#findServer(request.serverName)).setEnabled(request.enabled)
        return {}
      case 'mcp_set_servers':
        return await this.#setServers(request.servers)
      case 'mcp_message':
        if (this.#options.programServers.receive(request.server_name, request.message)) return {}
        throw new UsageError(`there is no MCP server ${quote(request.server_name)} of the program.`)
      case 'get_context_usage': {
        const { describeContext } = await import('./describe-context.js')
        return await describeContext(session)
      }
      case 'rewind_files': {
        const { rewindFiles } = await import('./rewind-files.js')
        const { user_message_id: id, dry_run: isDryRun } = request
        const startedAt = this.#options.promptTimes.find(id)
        if (startedAt === undefined)
          return { canRewind: false, error: `There is no prompt with the uuid ${quote(id)}.` }
        const { projectRoot } = session.toolSession.settings
        return await rewindFiles({
          home: this.#options.home,
          projectRoot,
          sessionId: session.id,
          startedAt,
          isDryRun: isDryRun === true,
        })
      }
      case 'stop_task': {
        const task = await session.toolSession.runtime.tasks.stop(request.task_id)
        if (task === undefined) throw new UsageError(`there is no background task ${quote(request.task_id)}.`)
        return {}
      }
    }
  }

  async #setMode(mode: Extract<Request, { subtype: 'set_permission_mode' }>['mode']): Promise<Response> {
    const { session, mayBypassPermissions } = this.#options
    if (mode === 'bypassPermissions' && !mayBypassPermissions)
      throw new UsageError('bypassPermissions needs --allow-dangerously-skip-permissions at the start.')
    const refusal = await session.setMode(mode)
    if (refusal !== undefined) throw new UsageError(refusal)
    return { mode }
  }

  async #servers(): Promise<McpServers | undefined> {
    return await this.#options.session.toolSession.runtime.mcp()
  }

  async #findServer(name: string) {
    const servers = await this.#servers()
    const server = servers?.get(name)
    if (server !== undefined) return server
    const names = (servers?.states ?? []).map((state) => quote(state.name))
    throw new UsageError(`there is no MCP server ${quote(name)}. Servers: ${names.join(', ') || 'none'}.`)
  }

  async #describeServers(): Promise<readonly object[]> {
    const servers = await this.#servers()
    return (servers?.states ?? []).map(({ name, status, reason, info }) => {
      const server = servers?.get(name)
      return {
        ...{ name, status },
        ...(info?.serverInfo !== undefined && {
          serverInfo: { name: info.serverInfo.name, version: info.serverInfo.version },
        }),
        ...(reason !== undefined && { error: reason }),
        ...(server !== undefined && { scope: server.server.source }),
        tools: (server?.offer?.definitions ?? []).map((definition) => ({
          name: definition.name,
          ...(definition.description !== undefined && { description: definition.description }),
        })),
      }
    })
  }

  async #setServers(entries: Readonly<Record<string, unknown>>): Promise<Response> {
    const { programServers, variables, session } = this.#options
    const errors: Record<string, string> = {}
    const added = Object.entries(entries).flatMap(([name, entry]) => {
      try {
        if (isRecord(entry) && entry.type === 'sdk') return [programServers.configure(name, readTimeout(entry))]
        return [configureProgramServers(name, entry, { variables, base: session.toolSession.settings.projectRoot })]
      } catch (error) {
        errors[name] = reasonOf(error)
        return []
      }
    })
    const servers = await this.#servers()
    if (servers === undefined) throw new UsageError('this session cannot use MCP servers.')
    const names = added.map(({ name }) => name)
    const removed = this.#serverNames.filter((name) => !names.includes(name))
    await servers.change({ removed, added })
    // A tool must be in the next request.
    await Promise.all(names.map((name) => servers.get(name)?.tryConnect()))
    for (const { name, status, reason } of servers.states)
      if (names.includes(name) && status === 'failed') errors[name] = reason ?? 'It failed.'
    const before = new Set(this.#serverNames)
    this.#serverNames = names
    return { added: names.filter((name) => !before.has(name)), removed, errors }
  }
}

function readTimeout({ timeout }: Readonly<Record<string, unknown>>): number | undefined {
  return typeof timeout === 'number' && timeout > 0 ? timeout : undefined
}
