import type { Flag } from '../contract/build-flags.js'
import type { ToolIdentity } from '../contract/tool/identity.js'

/** Passes the tools that one gate's flags let through. `isOn` tells the state of a flag. */
export function gateTools<T extends ToolIdentity>(
  tools: readonly T[],
  flags: Readonly<Record<string, Flag>>,
  isOn: (flag: string) => boolean,
): readonly T[] {
  const present = new Set(tools.map(({ name }) => name))
  const gated = new Set<string>()
  const added = new Set<string>()
  const removed = new Set<string>()
  for (const [name, { adds = [], removes = [], replaces = [] }] of Object.entries(flags)) {
    for (const tool of adds) gated.add(tool)
    if (!isOn(name)) continue
    for (const tool of adds) added.add(tool)
    for (const tool of removes) removed.add(tool)
    if (adds.some((tool) => present.has(tool))) for (const tool of replaces) removed.add(tool)
  }
  return tools.filter(({ name }) => (!gated.has(name) || added.has(name)) && !removed.has(name))
}
