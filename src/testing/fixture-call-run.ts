import type { CallRun } from '../calls/call-run.js'
import { FixtureClock } from '../calls/fixture-clock.js'
import { createCalls, createTimedTool, type TimedInput } from '../calls/fixture-run.js'
import type { ToolEvent } from '../contract/events.js'
import type { Tool } from '../contract/tool/tool.js'
import { createToolRuntime } from '../runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../runtime/options.js'

/** A run with its own clock. `started` lists the indexes of the calls whose tool was called, in that order. */
export function openFixtureRun(
  options: Partial<ToolRuntimeOptions> & { makeTools?: (clock: FixtureClock) => Tool[] } = {},
) {
  const clock = new FixtureClock()
  const events: ToolEvent[] = []
  const started: number[] = []
  const { makeTools = () => [createTimedTool(clock)], ...runtimeOptions } = options
  const tools = makeTools(clock).map((tool) => ({
    ...tool,
    call: (...args: Parameters<Tool['call']>) => {
      started.push(Number(args[1].toolUseId.slice('call-'.length)))
      return tool.call(...args)
    },
  }))
  const runtime = createToolRuntime({
    permissions: { allow: tools.map(({ name }) => name) },
    ...{ cwd: '/r', onEvent: (event) => events.push(event), ports: { shell: {} as never } },
    ...runtimeOptions,
    tools,
    scheduling: { graceMs: 1, ...runtimeOptions.scheduling },
    policy: {
      decisionPorts: {
        canConfine: () => true,
        paths: { look: async (path) => ({ realPath: path, isFolder: false, isCaseInsensitive: false }) },
      },
    },
  })
  return { clock, events, started, runtime, run: runtime.open() }
}

export function addAll(run: CallRun, inputs: readonly TimedInput[], names: readonly string[] = []): void {
  for (const [index, call] of createCalls(inputs).entries()) run.add({ ...call, name: names[index] ?? call.name })
}

/** Waits until no call can continue unless the clock advances. */
export const settle = async () => {
  for (let round = 0; round < 20; round++) await new Promise(setImmediate)
}

/** Advances the clock until no call sleeps. */
export async function runToEnd(clock: FixtureClock): Promise<void> {
  await settle()
  while (clock.sleeperCount > 0) {
    clock.advance()
    await settle()
  }
}

export const createWritingInput = (...names: string[]): TimedInput => ({
  resources: { writes: names.map((path) => ({ path })) },
})
export const readTexts = async (run: CallRun) => (await run.outcomes()).map(({ block }) => block.content)
export const readCodes = async (run: CallRun) => (await run.outcomes()).map(({ error }) => error?.code ?? 'ok')
