import * as z from 'zod'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { reasonOf } from '../../shared/reason-of.js'
import { describeChange, type PinnableTool, type PinnedTool, pinnedToolSchema, pinTool } from './pinned-tool.js'
import type { ConfiguredServer } from './server-config.js'
import { valueHash } from './value-hash.js'

/** `changed`: the server says something else of a tool than what was approved; it must be asked about again. */
type PinState = 'new' | 'same' | 'changed'

type PinnedServer = Pick<ConfiguredServer, 'name' | 'config' | 'project'>

/** The definitions that a person approved, by server. */
export interface Pins {
  check(server: PinnedServer, tool: PinnableTool): Promise<PinState>
  /** What changed since it was approved, in a few lines. */
  describe(server: PinnedServer, tool: PinnableTool): Promise<string>
  accept(server: PinnedServer, tools: readonly PinnableTool[]): Promise<void>
  /** Drops what was approved of a server that is no longer configured. */
  forget(server: PinnedServer): Promise<void>
}

const storeSchema = z.object({
  server: z.string(),
  /** What was started or reached then: another program is another server, all of whose tools are new. */
  identity: z.string(),
  tools: z.record(z.string(), pinnedToolSchema),
})
type Store = z.output<typeof storeSchema>

export function createPins(files: PrivateFiles): Pins {
  // What another process approves meanwhile is asked about once more here, and no worse.
  const read = new Map<string, Promise<Store | string>>()

  function storeOf(server: PinnedServer): Promise<Store | string> {
    const name = fileOf(server)
    const known = read.get(name) ?? load(files, name)
    read.set(name, known)
    return known.then((store) => (typeof store === 'string' || isOf(store, server) ? store : emptyStore(server)))
  }

  return {
    async check(server, tool) {
      const store = await storeOf(server)
      if (typeof store === 'string') return 'changed'
      const pinned = pinnedOf(store, tool)
      if (pinned === undefined) return 'new'
      return pinned.hash === pinTool(tool).hash ? 'same' : 'changed'
    },
    async describe(server, tool) {
      const store = await storeOf(server)
      if (typeof store === 'string') return `what was approved cannot be read: ${store}`
      const pinned = pinnedOf(store, tool)
      return pinned === undefined ? 'it was not there before' : describeChange(pinned, pinTool(tool))
    },
    async accept(server, tools) {
      const name = fileOf(server)
      await files.change(name, (text) => {
        const former = parse(text)
        const kept = typeof former !== 'string' && isOf(former, server) ? former.tools : {}
        const accepted = tools.map((tool) => [tool.name, pinTool(tool)] as const)
        const all = Object.fromEntries([...Object.entries(kept), ...accepted])
        return `${JSON.stringify({ ...emptyStore(server), tools: all })}\n`
      })
      read.delete(name)
    },
    async forget(server) {
      const name = fileOf(server)
      await files.change(name, () => undefined)
      read.delete(name)
    },
  }
}

function fileOf({ name, project }: PinnedServer): string {
  return `pins-${valueHash([name, project ?? null]).slice(0, 24)}.json`
}

function emptyStore({ name, config }: PinnedServer): Store {
  const identity = config.type === 'stdio' ? [config.command, config.args, config.cwd ?? null] : [config.url]
  return { server: name, identity: valueHash(identity), tools: {} }
}

function isOf(store: Store, server: PinnedServer): boolean {
  return store.identity === emptyStore(server).identity
}

function pinnedOf(store: Store, { name }: PinnableTool): PinnedTool | undefined {
  return Object.hasOwn(store.tools, name) ? store.tools[name] : undefined
}

async function load(files: PrivateFiles, name: string): Promise<Store | string> {
  try {
    return parse(await files.read(name))
  } catch (error) {
    return reasonOf(error)
  }
}

/** A text instead of a store says why there is none. */
function parse(text: string | undefined): Store | string {
  if (text === undefined) return { server: '', identity: '', tools: {} }
  try {
    return storeSchema.parse(JSON.parse(text))
  } catch {
    // Only that it cannot be used matters: everything is asked about again.
    return 'the file is broken'
  }
}
