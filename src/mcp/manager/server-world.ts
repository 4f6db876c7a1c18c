import type { PermissionAsk } from '../../contract/permission-result.js'
import type { ServicePort } from '../../contract/service-process.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { HttpAccess } from '../client/open-transport.js'
import type { ServerRequests } from '../client/server-requests.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import type { DefinitionCache } from './definition-cache.js'
import type { StartGate } from './start-gate.js'

/** Why a tool is not what was approved: every call of it asks, until one was let through. */
export interface DefinitionDoubt {
  readonly question: PermissionAsk
  /** Remembers that it is approved as it is now. */
  accept(): Promise<void>
}

/** Looks at what a server offers before anybody may call it, and says what is to be asked about first. */
export type ReviewDefinitions = (
  server: ConfiguredServer,
  definitions: readonly McpToolDefinition[],
) => MaybePromise<ReadonlyMap<McpToolDefinition, DefinitionDoubt>>

/** What all servers of a set share. */
export interface ServerWorld {
  readonly services: ServicePort
  readonly requests: ServerRequests
  readonly gate: StartGate
  readonly cache?: DefinitionCache | undefined
  readonly logFolder?: string | undefined
  readonly version: string
  readonly now: () => number
  readonly access?: ((server: ConfiguredServer) => HttpAccess | undefined) | undefined
  readonly review?: ReviewDefinitions | undefined
  /** What it offers, or how it stands, is not what it was. */
  readonly onChange: () => void
  readonly onProblem: (problem: string) => void
}
