import * as z from 'zod'
import type { ToolEvent } from '../contract/events.js'
import { createPermissionContext, type ToolPermissionContext } from '../contract/permission/context.js'
import type { Ports } from '../contract/ports/index.js'
import type { RunStop } from '../contract/runtime.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import type { HookFunction } from '../hooks/config/hook-config.js'
import type { HookEvent } from '../hooks/config/hook-events.js'
import { parseHookConfig } from '../hooks/config/parse-hook-config.js'
import { createHookRunner } from '../hooks/create-hook-runner.js'
import { Call, type RunOfCall } from './call.js'
import type { CallEnvironment } from './call-environment.js'
import type { CallOutcome } from './call-outcome.js'
import type { Cancellation } from './cancellation.js'
import { performCall, prepareCall, toErrorOutcome } from './perform-call.js'

/** A tool for the tests of this folder: it returns its `text`, unless `members` override it. */
export function createFixtureTool(members: Partial<Tool> & { readonly needs?: readonly (keyof Ports)[] } = {}): Tool {
  const definition = {
    name: 'Echo',
    description: 'Returns its text',
    inputSchema: z.strictObject({ text: z.string() }),
    isReadOnly: () => true,
    call: async (input: { text?: unknown }) => ({ data: input.text ?? null }),
    ...members,
  }
  return (buildTool as (members: object) => unknown)(definition) as Tool
}

export interface FixtureOptions extends Partial<Omit<CallEnvironment, 'hooks' | 'permissions' | 'ports'>> {
  readonly tools?: readonly Tool[]
  readonly absentTools?: readonly Tool[]
  readonly mode?: ToolPermissionContext['mode']
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly askRules?: readonly string[]
  readonly ports?: Partial<Ports>
  readonly hooks?: Partial<Record<HookEvent, HookFunction | readonly HookFunction[]>>
}

/** Overrides for one call. */
export interface FixtureRun extends Partial<RunOfCall> {
  readonly cancellation?: Cancellation
}

/** A host with defaults for everything that the test omits. Records the events and stops of its calls. */
export class FixtureHost {
  readonly events: ToolEvent[] = []
  readonly stops: RunStop[] = []
  readonly environment: CallEnvironment
  permissions: ToolPermissionContext

  constructor(options: FixtureOptions = {}) {
    const {
      tools = [createFixtureTool()],
      absentTools,
      mode,
      allow = [],
      deny = [],
      askRules = [],
      hooks,
      ports = {},
      ...overrides
    } = options
    this.permissions = createPermissionContext({
      ...(mode !== undefined && { mode }),
      alwaysAllowRules: { session: allow },
      alwaysDenyRules: { session: deny },
      alwaysAskRules: { session: askRules },
    })
    this.environment = {
      directory: () => ({ tools, ...(absentTools !== undefined && { absentTools }) }),
      isSchemaSent: () => true,
      permissions: () => this.permissions,
      decisionPorts: {
        canConfine: () => true,
        paths: { look: (path) => ({ realPath: path, isFolder: false, isCaseInsensitive: false }) },
      },
      pathContext: { startDir: '/project', homeDir: '/home/dev' },
      ports: () => ports,
      contextOptions: { options: OPTIONS, queryTracking: { chainId: 'test', depth: 0 } },
      ...overrides,
      ...(hooks !== undefined && { hooks: createFixtureHooks(hooks) }),
    }
  }

  /** Performs one call, as a run would. */
  async run(
    name: string,
    input: unknown,
    { cancellation, ...run }: FixtureRun = {},
  ): Promise<CallOutcome & { readonly stop?: string }> {
    const call = new Call(
      { ...this.#run, ...run },
      {
        index: 0,
        toolUse: { type: 'tool_use', id: 'toolu_1', name, input },
        parentMessage: { type: 'assistant', content: [] },
        messages: [],
        environment: this.environment,
        location: { cwd: '/project', options: OPTIONS },
      },
    )
    if (cancellation !== undefined) Object.assign(call, { cancellation })
    try {
      const outcome = await performCall(await prepareCall(call))
      return call.stopReason === undefined ? outcome : { ...outcome, stop: call.stopReason }
    } catch (error) {
      return toErrorOutcome(call, error)
    }
  }

  /** The error code and the result text of a failed call. */
  async getRefusal(name: string, input: unknown, overrides: FixtureRun = {}) {
    const { block, error } = await this.run(name, input, overrides)
    return { code: error?.code, text: block.content }
  }

  readonly #run: RunOfCall = {
    emit: (event) => this.events.push(event),
    start() {},
    haveClaimsGrown: () => false,
    countWaitingQuestions: () => 0,
    askInTurn: (_call, ask) => ask(),
    admit() {},
    stop: (stop) => this.stops.push(stop),
    openNested() {
      throw new Error('This host runs one call only.')
    },
  }

  listEventTypes(): readonly string[] {
    return this.events.map(({ type }) => type)
  }
}

const OPTIONS = {
  tools: [],
  commands: [],
  mainLoopModel: 'test',
  thinkingConfig: { type: 'disabled' as const },
  mcpClients: [],
  agentDefinitions: [],
}

function createFixtureHooks(hooks: NonNullable<FixtureOptions['hooks']>) {
  const settings = Object.entries(hooks).map(([event, functions]) => {
    const list = Array.isArray(functions) ? functions : [functions]
    return [event, [{ matcher: '*', hooks: list.map((run, at) => ({ type: 'function', name: `hook ${at}`, run })) }]]
  })
  const { config, problems } = parseHookConfig(Object.fromEntries(settings))
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return createHookRunner({
    config,
    projectDir: '/project',
    environment: {},
    session: () => ({ session_id: 's', transcript_path: '', cwd: '/project', permission_mode: 'default' }),
  })
}

/** A promise that the test settles. */
export function createDeferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve, reject }
}

export const waitForever = (): Promise<never> => new Promise(() => {})
