import type { ToolEvent } from '../contract/events.js'
import { type HookFunction, joinHookConfigs } from '../hooks/config/hook-config.js'
import type { HookEvent } from '../hooks/config/hook-events.js'
import { type CheckedHook, parseHookConfig } from '../hooks/config/parse-hook-config.js'
import { createHookRunner, type HookRunner } from '../hooks/create-hook-runner.js'
import type { HookSession } from '../hooks/run/hook-payload.js'
import type { ToolRuntimeOptions } from './runtime-options.js'

/** Hooks as in a settings file, and those of kind `function` beside. */
export type HookSettings = Readonly<Partial<Record<HookEvent, readonly HookGroup[]>>>

export interface HookGroup {
  readonly matcher?: string
  readonly if?: string
  readonly hooks: readonly (CheckedHook | { readonly type: 'function'; readonly run: HookFunction })[]
}

/** The hooks that all agents of a runtime share; undefined where there are none. */
export function createHooks(
  { hooks, hookPorts, onProblem, onHookReported, transcriptPath = '', env = process.env }: ToolRuntimeOptions,
  { projectDir, sessionId, emit }: { projectDir: string; sessionId: string; emit: (event: ToolEvent) => void },
): HookRunner | undefined {
  if (hooks === undefined) return undefined
  const layers: readonly unknown[] = Array.isArray(hooks) ? hooks : [hooks]
  const read = layers.map(parseHookConfig)
  for (const { path, message } of read.flatMap(({ problems }) => problems)) onProblem?.(`hooks.${path}: ${message}`)
  return createHookRunner({
    config: joinHookConfigs(read.map(({ config }) => config)),
    projectDir,
    environment: env,
    // Each agent brings its own with every run; see `hooksOfAgent`.
    session: () => ({
      session_id: sessionId,
      transcript_path: transcriptPath,
      cwd: projectDir,
      permission_mode: 'default',
    }),
    onAsyncEnd: ({ report, toolUseId }) => {
      if (toolUseId === undefined) onHookReported?.(report)
      else emit({ type: 'hook-reported', toolUseId, at: Date.now(), ...report })
    },
    ...(hookPorts !== undefined && { ports: hookPorts }),
  })
}

/** The same hooks for one agent: they are told its folder and its mode. */
export function hooksOfAgent(hooks: HookRunner, session: () => HookSession): HookRunner {
  return {
    hasHooks: (event, ...names) => hooks.hasHooks(event, ...names),
    run: (event, fields, options) => hooks.run(event, fields, { ...options, session }),
    dispose: () => hooks.dispose(),
  }
}
