import { join } from 'node:path'
import { version } from '../../shared/version.js'
import { askInTurn } from '../ask-in-turn.js'
import type { SharedParts } from '../shared-parts.js'
import { answerServers } from './answer-servers.js'
import { openRuntimeMcp, type RuntimeMcp } from './runtime-mcp.js'

/** The servers that the host named; what is kept of them lies in the user's own folder. */
export function createMcp(
  { options, mcpSetup, tools, place, questions, onProblem }: Omit<SharedParts, 'machine' | 'mcp'>,
  { roots, rootsBasis }: { readonly roots: () => readonly string[]; readonly rootsBasis: () => object },
): RuntimeMcp | undefined {
  if (mcpSetup === undefined) return undefined
  const { ask, model } = options.ports ?? {}
  const folder = join(place.homeDir, '.haft')
  return openRuntimeMcp({
    cacheFolder: join(folder, 'cache', 'mcp'),
    logFolder: join(folder, 'logs', 'mcp'),
    onProblem,
    ...mcpSetup,
    environment: options.env ?? process.env,
    cwd: place.projectDir,
    version,
    resourceTools: tools.filter(({ readsMcpResources }) => readsMcpResources === true),
    reservedNames: new Set(tools.flatMap(({ name, aliases = [] }) => [name, ...aliases])),
    rootsBasis,
    requests: answerServers({
      ask: ask && askInTurn(ask, questions),
      model,
      modelName: options.model ?? '',
      roots,
    }),
  })
}
