import { join } from 'node:path'
import { createReservedNames } from '../../assembly/filter-tools-by-deny-rules.js'
import type { QuestionLock } from '../../calls/questions.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import { isRecord } from '../../shared/is-record.js'
import { version } from '../../shared/version.js'
import { askInTurn } from '../ask-in-turn.js'
import type { ToolRuntimeOptions } from '../options.js'
import { answerServers } from './answer-servers.js'
import type { McpSetup } from './mcp-setup.js'
import { openRuntimeMcp, type RuntimeMcp } from './runtime-mcp.js'

interface CreateMcpOptions {
  /** The hooks of the runtime, which are created later. */
  readonly hooks: () => HookRunner | undefined
  readonly setup: McpSetup | undefined
  readonly tools: Tools
  readonly folders: { readonly homeDir: string; readonly projectDir: string }
  readonly questionLock: QuestionLock
  readonly roots: () => readonly string[]
  readonly rootsBasis: () => object
  readonly permissions: () => ToolPermissionContext
  readonly onProblem: (problem: string) => void
}

/** Creates the MCP servers of a runtime; undefined if it has none. Caches and logs are in the user's own folder. */
export function createMcp(
  { ports = {}, conversation = {}, machine = {}, hooks }: ToolRuntimeOptions,
  { setup, tools, folders, questionLock, roots, rootsBasis, permissions, onProblem, hooks: runner }: CreateMcpOptions,
): RuntimeMcp | undefined {
  if (setup === undefined) return undefined
  const { ask, model } = ports
  const findReservedNames = createReservedNames(tools)
  const haftFolder = join(folders.homeDir, '.haft')
  return openRuntimeMcp({
    cacheFolder: join(haftFolder, 'cache', 'mcp'),
    logFolder: join(haftFolder, 'logs', 'mcp'),
    onProblem,
    ...setup,
    environment: machine.env ?? process.env,
    cwd: folders.projectDir,
    version,
    resourceTools: tools.filter(({ readsMcpResources }) => readsMcpResources === true),
    reservedNames: () => findReservedNames(permissions()),
    rootsBasis,
    requests: answerServers({
      ask: ask && askInTurn(ask, questionLock),
      model,
      modelName: conversation.model ?? '',
      roots,
      canHooksAnswer: [hooks ?? []].flat().some((layer) => isRecord(layer) && 'Elicitation' in layer),
      hooks: runner,
    }),
  })
}
