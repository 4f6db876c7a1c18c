import type { ToolEvent } from '../../contract/events.js'
import { joinHookConfigs } from '../../hooks/config/hook-config.js'
import type { HookSession } from '../../hooks/config/hook-payload.js'
import { parseHookConfig } from '../../hooks/config/parse-hook-config.js'
import { createHookRunner, type HookRunner } from '../../hooks/create-hook-runner.js'
import type { HookPorts } from '../../hooks/run/hook-call.js'
import type { EventOrigin, ToolRuntimeOptions } from '../options.js'

/** Creates the hooks that all agents of a runtime share; undefined if there are none. */
export function createHooks(
  { hooks, conversation = {}, machine = {} }: ToolRuntimeOptions,
  {
    projectDir,
    variables,
    inheritedVariables,
    sessionId,
    hookPorts,
    emit,
    onProblem,
  }: {
    readonly projectDir: string
    /** The variables of this process. */
    readonly variables: Readonly<Record<string, string | undefined>>
    /** The variables that command hooks inherit. */
    readonly inheritedVariables: () => Readonly<Record<string, string | undefined>>
    readonly sessionId: string
    readonly hookPorts: HookPorts
    readonly emit: (event: ToolEvent, source: EventOrigin) => void
    readonly onProblem: (problem: string) => void
  },
): HookRunner | undefined {
  if (hooks === undefined) return undefined
  const layers: readonly unknown[] = Array.isArray(hooks) ? hooks : [hooks]
  const parsedLayers = layers.map(parseHookConfig)
  for (const { path, message } of parsedLayers.flatMap(({ problems }) => problems))
    onProblem(`hooks.${path}: ${message}`)
  return createHookRunner({
    config: joinHookConfigs(parsedLayers.map(({ config }) => config)),
    projectDir,
    environment: inheritedVariables(),
    headerVariable: (name) => (machine.hiddenVariables?.includes(name) ? undefined : variables[name]),
    ports: hookPorts,
    // Each agent passes its own session with every run; see `bindHooksToSession`.
    session: () => ({
      session_id: sessionId,
      transcript_path: conversation.transcriptPath ?? '',
      cwd: projectDir,
      permission_mode: 'default',
    }),
    onRunning: conversation.onHooksRunning,
    onAsyncEnd: ({ report, toolUseId }) => {
      if (toolUseId === undefined) conversation.onHookReported?.(report)
      else emit({ type: 'hook-reported', toolUseId, at: Date.now(), ...report }, {})
    },
  })
}

/** Returns the same hooks with the session fields of one agent. */
export function bindHooksToSession(hooks: HookRunner, session: () => HookSession): HookRunner {
  return {
    hasHooks: (event, ...names) => hooks.hasHooks(event, ...names),
    listMatchers: (event) => hooks.listMatchers(event),
    run: (event, fields, options) => hooks.run(event, fields, { ...options, session }),
    dispose: () => hooks.dispose(),
  }
}
