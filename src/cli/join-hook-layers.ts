import { parseHookConfig } from '../hooks/parse-hook-config.js'
import type { HookLayer } from '../settings/merge/merge-layers.js'

/**
 * The hooks of all sources as one setting. Where hooks change the same thing the last one wins, so the highest source
 * comes last. What is wrong is told with the file it stands in.
 */
export function joinHookLayers(
  layers: readonly HookLayer[],
  onProblem: (message: string) => void,
): Readonly<Record<string, readonly unknown[]>> | undefined {
  const joined = new Map<string, unknown[]>()
  for (const { source, file, hooks } of layers.toReversed()) {
    for (const { path, message } of parseHookConfig(hooks).problems)
      onProblem(`${file ?? source}: hooks.${path} ${message}`)
    for (const [event, groups] of Object.entries(hooks))
      if (Array.isArray(groups)) joined.set(event, [...(joined.get(event) ?? []), ...groups])
  }
  return joined.size === 0 ? undefined : Object.fromEntries(joined)
}
