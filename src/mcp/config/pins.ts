import * as z from 'zod'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { reasonOf } from '../../shared/reason-of.js'
import { hashValue } from './hash-value.js'
import { describeChange, type PinnableTool, type PinnedTool, pinnedToolSchema, pinTool } from './pinned-tool.js'
import type { ConfiguredServer } from './server-config.js'

/** `changed` means that the definition differs from the approved one, so the user must be asked again. */
type PinState = 'new' | 'same' | 'changed'

type PinnedServer = Pick<ConfiguredServer, 'name' | 'config' | 'project'>

/** The tool definitions that the user approved, by server. */
export interface Pins {
  check(server: PinnedServer, tool: PinnableTool): Promise<PinState>
  /** Describes in a few lines what changed since the approval. */
  describe(server: PinnedServer, tool: PinnableTool): Promise<string>
  accept(server: PinnedServer, tools: readonly PinnableTool[]): Promise<void>
  /** Removes the approvals of a server that is no longer configured. */
  forget(server: PinnedServer): Promise<void>
}

const storeSchema = z.object({
  server: z.string(),
  /** A hash of the command or URL. A different command or URL counts as a different server, whose tools are all new. */
  identity: z.string(),
  tools: z.record(z.string(), pinnedToolSchema),
})
type Store = z.output<typeof storeSchema>

export function createPins(files: PrivateFiles): Pins {
  // A cached file may lack approvals by another process. At worst, the user is asked once more.
  const cachedStores = new Map<string, Promise<Store | string>>()

  function openStore(server: PinnedServer): Promise<Store | string> {
    const name = toFileName(server)
    const cached = cachedStores.get(name) ?? loadStore(files, name)
    cachedStores.set(name, cached)
    return cached.then((store) =>
      typeof store === 'string' || hasSameIdentity(store, server) ? store : createEmptyStore(server),
    )
  }

  return {
    async check(server, tool) {
      const store = await openStore(server)
      if (typeof store === 'string') return 'changed'
      const pinnedTool = findPinnedTool(store, tool)
      if (pinnedTool === undefined) return 'new'
      return pinnedTool.hash === pinTool(tool).hash ? 'same' : 'changed'
    },
    async describe(server, tool) {
      const store = await openStore(server)
      if (typeof store === 'string') return `the approved definitions cannot be read: ${store}`
      const pinnedTool = findPinnedTool(store, tool)
      return pinnedTool === undefined ? 'the tool is new' : describeChange(pinnedTool, pinTool(tool))
    },
    async accept(server, tools) {
      const name = toFileName(server)
      await files.change(name, (text) => {
        const storedPins = parse(text)
        const keptTools = typeof storedPins !== 'string' && hasSameIdentity(storedPins, server) ? storedPins.tools : {}
        const acceptedPins = tools.map((tool) => [tool.name, pinTool(tool)] as const)
        const allTools = Object.fromEntries([...Object.entries(keptTools), ...acceptedPins])
        return `${JSON.stringify({ ...createEmptyStore(server), tools: allTools })}\n`
      })
      cachedStores.delete(name)
    },
    async forget(server) {
      const name = toFileName(server)
      await files.change(name, () => undefined)
      cachedStores.delete(name)
    },
  }
}

function toFileName({ name, project }: PinnedServer): string {
  return `pins-${hashValue([name, project ?? null]).slice(0, 24)}.json`
}

function createEmptyStore({ name, config }: PinnedServer): Store {
  const identity =
    'command' in config ? [config.command, config.args, config.cwd ?? null] : ['url' in config && config.url]
  return { server: name, identity: hashValue(identity), tools: {} }
}

function hasSameIdentity(store: Store, server: PinnedServer): boolean {
  return store.identity === createEmptyStore(server).identity
}

function findPinnedTool(store: Store, { name }: PinnableTool): PinnedTool | undefined {
  return Object.hasOwn(store.tools, name) ? store.tools[name] : undefined
}

async function loadStore(files: PrivateFiles, name: string): Promise<Store | string> {
  try {
    return parse(await files.read(name))
  } catch (error) {
    return reasonOf(error)
  }
}

/** Returns the store, or the reason why it cannot be used. */
function parse(text: string | undefined): Store | string {
  if (text === undefined) return { server: '', identity: '', tools: {} }
  try {
    return storeSchema.parse(JSON.parse(text))
  } catch {
    // The details do not matter, because the user is asked about every tool again.
    return 'the file is invalid'
  }
}
