import type { AgentDefinition, ContextOptions } from '../contract/context.js'
import type { ToolDefinitionError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { Environment } from '../contract/flags.js'
import type { ToolPermissionContext } from '../contract/permission-context.js'
import type { PermissionUpdate } from '../contract/permission-result.js'
import type { Ports } from '../contract/ports/index.js'
import type { Tool, Tools } from '../contract/tool.js'
import type { AskPermission, StepTimer } from '../execution/execution-host.js'
import type { HookPorts } from '../hooks/hook-ports.js'
import type { DecisionPorts } from '../permissions/decision-request.js'
import type { PermissionRules } from './permission-state.js'

export interface ToolRuntimeOptions {
  /** Tools of the host itself. The first wrong one throws, unless `onProblem` is given. */
  readonly tools: readonly unknown[]
  /** Tools of servers; asked before every request, because servers come and go. */
  readonly mcpTools?: () => Tools
  /** Rules and mode, or a whole context; `default` mode without rules if left out. */
  readonly permissions?: PermissionRules | ToolPermissionContext
  /** As in a settings file, and hooks of kind `function` beside. */
  readonly hooks?: unknown
  /** A person to ask; without one a question is a denial that says which rule would allow the call. */
  readonly ask?: AskPermission
  /** Writes updates that a person wants kept. */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<void>
  readonly ports?: Partial<Ports>
  readonly cwd?: string
  readonly homeDir?: string
  /** What rules with a leading slash count from; the working folder if left out. */
  readonly projectDir?: string
  /** `base` runs safe neighbours together and all else alone; `resources` looks at what calls touch. */
  readonly scheduling?: 'resources' | 'base'
  readonly maxConcurrency?: number
  /** How many commands, sub-agents and calls of one server run at once, over all agents. */
  readonly limits?: Readonly<Record<string, number>>
  /** Where long results are kept; a folder that is gone with the runtime if left out. */
  readonly resultsDirectory?: string
  readonly graceMs?: number
  readonly timer?: StepTimer
  readonly onEvent?: (event: ToolEvent) => void
  /** Told of tools that cannot be used; the others work. */
  readonly onProblem?: (problem: ToolDefinitionError | string) => void
  readonly environment?: Environment
  readonly decisionPorts?: Partial<DecisionPorts>
  readonly hookPorts?: HookPorts
  readonly sessionId?: string
  readonly transcriptPath?: string
  readonly model?: string
  readonly agentDefinitions?: readonly AgentDefinition[]
  readonly contextOptions?: Partial<ContextOptions<Tool>>
  /** What the user asked for, for the classifier of auto mode. */
  readonly userRequest?: () => string
}
