import type { ToolDefinition } from '../messages.js'

/** Deferred tools and how to find them. */
export interface CatalogPort {
  search(query: string, options: { readonly maxResults: number }): Promise<CatalogAnswer>
  /** Makes these tools part of every later request. Gives their definitions as those have them: the model still has to learn of each that is not marked `defer_loading`. */
  load(names: readonly string[]): Promise<readonly ToolDefinition[]>
}

export interface CatalogAnswer {
  /** Best first. */
  readonly names: readonly string[]
  /** Names that were asked for and are not there, with those they may have been meant for. */
  readonly missing: readonly { readonly name: string; readonly near: readonly string[] }[]
  /** Servers that are still connecting. */
  readonly pendingServers: readonly string[]
  /** Where to look where nothing fits. */
  readonly nearestServers: readonly string[]
}
